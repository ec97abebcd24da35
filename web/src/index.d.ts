// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
export * from './manual.js';
