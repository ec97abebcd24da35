// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shows pictures in terminals that can: by the protocol of kitty, that of iTerm2, sixel, or half blocks
// in 24-bit colours.
#ifndef CLI_PICTURE_TERMINAL_H
#define CLI_PICTURE_TERMINAL_H

#include "cli/picture.h"

typedef enum picture_protocol {
    PICTURES_OFF = 0,
    PICTURES_KITTY,
    PICTURES_ITERM,
    PICTURES_SIXEL,
    PICTURES_BLOCKS,
} picture_protocol;

/// Reads "auto", "off", "kitty", "iterm", "sixel" or "blocks"; false for anything else. "auto" is what the
/// environment says the terminal has: nothing if the standard output is no terminal, within a
/// multiplexer (which would swallow pictures), or if the terminal is not known.
bool picture_protocol_read(const char* text, picture_protocol* out);
/// Prints a picture, and ends the line.
void picture_show(const picture* p, picture_protocol by);

#endif
