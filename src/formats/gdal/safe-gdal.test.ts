import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gdalComplaints } from './safe-gdal.ts'

describe('what GDAL complains of', () => {
  it('is its errors without their numbers, with the lines that go on with them', () => {
    const output = [
      'Warning 1: Field a of width 255 truncated to 254.',
      "ERROR 1: In Initialize(): sqlite3_step(SELECT * FROM 't'):",
      '  database disk image is malformed',
      'FAILURE:',
      'Unable to open datasource',
    ]
    assert.deepEqual(gdalComplaints(output.join('\n')), [
      "In Initialize(): sqlite3_step(SELECT * FROM 't'): database disk image is malformed",
      'Unable to open datasource',
    ])
  })

  it('puts aside what says nothing where something else is said', () => {
    const output = ['ERROR 1: Terminating translation prematurely after failed', 'ERROR 1: bad record', '']
    assert.deepEqual(gdalComplaints(output.join('\n')), ['bad record'])
    assert.deepEqual(gdalComplaints(output[0] ?? ''), ['Terminating translation prematurely after failed'])
    assert.deepEqual(gdalComplaints('Warning 1: nothing'), [])
  })
})
