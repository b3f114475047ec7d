import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tellTimes } from './times.ts'

const note = (file: string, own: number, children: number): string =>
  JSON.stringify({ file: `/repository/${file}`, wall: 1, own, children })

describe('tellTimes', () => {
  it('gives the sums of all files and of each folder, and the files that took most', () => {
    const notes = [
      note('tests/contract/tiles.test.ts', 30, 0),
      note('src/lib/text/words.test.ts', 1, 0),
      note('tests/contract/stores.test.ts', 20, 70),
    ]
    assert.equal(
      tellTimes(notes.join('\n'), '/repository', 2),
      [
        'processor time of 3 files, with the programs that they started: 121 s',
        '  120.0 s  tests/contract',
        '    1.0 s  src/lib',
        'files that took most (of that by programs that they started):',
        '   90.0 s  tests/contract/stores.test.ts (70.0 s)',
        '   30.0 s  tests/contract/tiles.test.ts (0.0 s)',
      ].join('\n'),
    )
  })
})
