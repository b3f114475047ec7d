import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FileTime } from './file-times.ts'
import { cpuTimes, slowestFiles } from './times.ts'

const times: FileTime[] = [
  {
    file: 'tests/contract/tiles/tiles.test.ts',
    wallSeconds: 31,
    ownSeconds: 30,
    childrenSeconds: 0,
    rssBytes: 1,
  },
  { file: 'src/core/text/words.test.ts', wallSeconds: 1, ownSeconds: 1, childrenSeconds: 0, rssBytes: 1 },
  {
    file: 'tests/contract/stores.test.ts',
    wallSeconds: 28,
    ownSeconds: 20,
    childrenSeconds: 70,
    rssBytes: 1,
  },
]

describe('slowestFiles', () => {
  it('lists the files that took longest, with their CPU time', () => {
    assert.deepEqual(slowestFiles(times, 2), [
      'slowest 2 files (seconds of CPU time, of that in child processes):',
      '   31.0 s  tests/contract/tiles/tiles.test.ts (30.0, 0.0)',
      '   28.0 s  tests/contract/stores.test.ts (90.0, 70.0)',
    ])
  })
})

describe('cpuTimes', () => {
  it('sums the CPU time of all files and of each folder, and lists the files that took most', () => {
    assert.deepEqual(cpuTimes(times, 2), [
      'CPU time of 3 files and their child processes: 121 s',
      '  120.0 s  tests/contract',
      '    1.0 s  src/core',
      'files that took most CPU time (of that in child processes):',
      '   90.0 s  tests/contract/stores.test.ts (70.0 s)',
      '   30.0 s  tests/contract/tiles/tiles.test.ts (0.0 s)',
    ])
  })
})
