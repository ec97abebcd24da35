// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Numbers of devices for the command in WebAssembly: there are none.
#define major(device) ((unsigned)(device)&0u)
