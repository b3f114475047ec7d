import assert from 'node:assert/strict'
import { it } from 'node:test'
import { progressReader } from './run-tools.ts'

function readAll(...pieces: string[]): number[] {
  const read = progressReader()
  return pieces.map((piece) => read(Buffer.from(piece)))
}

it('reads the numbers and dots of a tool in any pieces', () => {
  assert.deepEqual(
    readAll('0', '...', '1', '0.', '..20...30', '...40...'),
    [0, 0.075, 0.075, 0.125, 0.275, 0.475],
  )
  assert.deepEqual(readAll('0...10...20...30...40...50...60...70...80...90...100 - done.\n'), [1])
})

it('reads them behind what else the tool says', () => {
  const output = 'Creating output file that is 835P x 696L.\nProcessing raster.tif [1/1] : 0'
  assert.deepEqual(
    readAll(output, 'Using internal nodata values (e.g. 0) for image raster.tif.\n', '...10...20...'),
    [0, 0, 0.275],
  )
})

it('never goes back, and stays between 0 and 1 whatever is said', () => {
  const shares = readAll('50...', '10...', 'x'.repeat(10_000), ' 100...\0\xff', '0...')
  assert.deepEqual(shares, [0.575, 0.575, 0.575, 1, 1])
})
