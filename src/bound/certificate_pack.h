// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs certificates into bytes (base/packing.h). Those that are unpacked have been checked: every
// number of a certificate, a node, a field or a row is in range. Whether they are true cannot be
// checked.
#ifndef ABUT_BOUND_CERTIFICATE_PACK_H
#define ABUT_BOUND_CERTIFICATE_PACK_H

#include "base/packing.h"
#include "bound/blend_certificate.h"
#include "bound/certificate.h"

void abut__certificates_write(const abut__certificates* certificates, abut__packer* writer);
void abut__blend_certificates_write(const abut__blend_certificates* certificates,
                                    abut__packer* writer);

// Reads certificates of a shape with so many fields. NULL: the reader has failed.
abut__certificates* abut__certificates_read(abut__unpacker* reader, uint32_t field_count);
// The same for the blend motion, with so many nodes.
abut__blend_certificates* abut__blend_certificates_read(abut__unpacker* reader,
                                                        uint32_t field_count, uint32_t node_count);

void abut__certificate_index_write(const abut__certificate_index* index, abut__packer* writer);
// False: the reader has failed. The index must be freed in either case.
bool abut__certificate_index_read(abut__unpacker* reader, abut__certificate_index* index);

#endif
