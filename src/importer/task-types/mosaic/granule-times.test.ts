import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '../../../core/errors/errors.ts'
import type { MosaicTime } from '../../model/granule-record.ts'
import { findTimes, parseIsoTime, requireMosaicTime } from './granule-times.ts'

const { signal } = new AbortController()

async function timesOf(names: string[], time: MosaicTime): Promise<string[]> {
  const found = await findTimes(names, time, signal)
  return found.map((one) =>
    one === undefined ? 'none' : 'timeMs' in one ? new Date(one.timeMs).toISOString() : one.fault,
  )
}

function refusal(expected: Parameters<typeof requireMosaicTime>[0]): string {
  try {
    requireMosaicTime(expected)
    return 'accepted'
  } catch (error) {
    assert.ok(error instanceof Failure && error.kind === 'invalid')
    return error.message
  }
}

describe('the times of granules', () => {
  it('come from the date in the name with auto', async () => {
    const found = await timesOf(['/a/NDVI_20200131.tif', '/a/x.tif'], { mode: 'auto' })
    assert.deepEqual(found, ['2020-01-31T00:00:00.000Z', 'its name contains no date such as 20240131'])
  })

  it('come from a group of the pattern, parsed by the format', async () => {
    const time = requireMosaicTime({ mode: 'FileName', pattern: 'd(\\d+)_', format: 'ddMMyyyy' })
    assert.deepEqual(await timesOf(['/a/d31012020_x.tif'], time), ['2020-01-31T00:00:00.000Z'])
  })

  it('come from the whole match where the pattern has no group, and from all groups where it has several', async () => {
    const whole = requireMosaicTime({ mode: 'filename', pattern: '\\d{6}', format: 'yyyyMM' })
    assert.deepEqual(await timesOf(['bm_200411.tif'], whole), ['2004-11-01T00:00:00.000Z'])
    const several = requireMosaicTime({
      mode: 'filename',
      pattern: '(\\d{8})_.*_(\\d{4})',
      format: 'yyyyMMddHHmm',
    })
    assert.deepEqual(await timesOf(['20041130_tile_2359.tif'], several), ['2004-11-30T23:59:00.000Z'])
  })

  it('are ISO 8601 where there is a pattern without format', async () => {
    const time = requireMosaicTime({ mode: 'filename', pattern: '\\d{8}T\\d{6}Z' })
    assert.deepEqual(await timesOf(['20041130T235958Z.tif'], time), ['2004-11-30T23:59:58.000Z'])
  })

  it('name what does not match and what is not a time', async () => {
    const time = requireMosaicTime({ mode: 'filename', pattern: '\\d{8}', format: 'yyyyMMdd' })
    const [unmatched, untimed] = await timesOf(['a.tif', '20201399.tif'], time)
    assert.match(unmatched ?? '', /does not match the pattern/)
    assert.match(untimed ?? '', /"20201399" in its name is not a time of the form yyyyMMdd/)
  })

  it('are not looked for in the modes manual and none', async () => {
    assert.deepEqual(await timesOf(['20200131.tif'], { mode: 'manual' }), ['none'])
    assert.deepEqual(await timesOf(['20200131.tif'], { mode: 'none' }), ['none'])
  })

  it('end with a clear error where the pattern backtracks without end', async () => {
    const time = requireMosaicTime({ mode: 'filename', pattern: '^(a+)+$', format: 'yyyy' })
    await assert.rejects(
      timesOf([`${'a'.repeat(60)}!.tif`], time),
      (error) => error instanceof Failure && /more than 100 ms .* simpler pattern/.test(error.message),
    )
  })

  it('stop being looked for when the work is cancelled', async () => {
    const time = requireMosaicTime({ mode: 'filename', pattern: '\\d+' })
    const reason = new Error('cancelled')
    await assert.rejects(findTimes(['1.tif'], time, AbortSignal.abort(reason)), reason)
  })
})

describe('a wish for times', () => {
  it('is taken in any case of letters', () => {
    assert.deepEqual(requireMosaicTime({ mode: 'AUTO' }), { mode: 'auto' })
  })

  it('is refused where the mode, the pattern or the format cannot be', () => {
    assert.match(refusal({ mode: 'sometimes' }), /one of auto, filename, manual, none/)
    assert.match(refusal({}), /one of auto/)
    assert.match(refusal({ mode: 'filename' }), /needs time.filenameRegex/)
    assert.match(refusal({ mode: 'filename', pattern: '(' }), /cannot be read/)
    assert.match(refusal({ mode: 'filename', pattern: 'a'.repeat(201) }), /longer than 200/)
    assert.match(refusal({ mode: 'filename', pattern: 'a', format: 'qq' }), /time.timeFormat "qq"/)
  })
})

describe('a time in ISO 8601', () => {
  it('is read with its zone', () => {
    assert.equal(parseIsoTime('2000-01-01T00:00:00.000+0000'), Date.UTC(2000, 0, 1))
    assert.equal(parseIsoTime('2000-01-01T02:00:00.5+02:00'), Date.UTC(2000, 0, 1, 0, 0, 0, 500))
    assert.equal(parseIsoTime('1969-12-31T23:59:59.999Z'), -1)
    assert.equal(parseIsoTime('yesterday'), undefined)
  })
})
