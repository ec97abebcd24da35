// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The package without its start: call init() or initSync() before anything else. For workers that get the compiled
// module by a message, for pages that have its bytes inside, and for servers of other kinds.
export { AbutError, hasVectors, init, initSync, instructionSet, memoryBytes, ModuleArray } from './core.js';
export { blend, flight, modal, Shape, shape } from './shapes.js';
export { Body, Scene } from './scene.js';
export { ClosestPoints, DistancePairs, Pairs, RayHits, Regions, Rows, SweepPairs } from './rows.js';
