// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Counts the instructions that a program executes under qemu, a measure of its cost that other
// programs do not disturb: qemu-aarch64 -plugin libinstructions.so PROGRAM. At its end the program
// prints "N instructions". The declarations are those of qemu's interface for plugins, version 1.
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t qemu_id;
typedef struct qemu_info qemu_info;
typedef struct qemu_tb qemu_tb;  // a block of instructions that are executed one after the other

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_id id,
                                                  void (*translated)(qemu_id, qemu_tb*));
extern size_t qemu_plugin_tb_n_insns(const qemu_tb* block);
extern void qemu_plugin_register_vcpu_tb_exec_inline(qemu_tb* block, int operation, void* place,
                                                     uint64_t number);
extern void qemu_plugin_register_atexit_cb(qemu_id id, void (*done)(qemu_id, void*), void* user);

enum { ADD = 0 };

int qemu_plugin_version = 1;
int qemu_plugin_install(qemu_id id, const qemu_info* info, int count, char** arguments);

static uint64_t executed;

static void count_block(qemu_id id, qemu_tb* block) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, ADD, &executed, qemu_plugin_tb_n_insns(block));
}

static void print_count(qemu_id id, void* user) {
    (void)id;
    (void)user;
    fprintf(stderr, "%" PRIu64 " instructions\n", executed);
}

int qemu_plugin_install(qemu_id id, const qemu_info* info, int count, char** arguments) {
    (void)info;
    (void)count;
    (void)arguments;
    qemu_plugin_register_vcpu_tb_trans_cb(id, count_block);
    qemu_plugin_register_atexit_cb(id, print_count, NULL);
    return 0;
}
