import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { takesProcessorSeconds } from '../../../tests/support/processor-time.ts'
import { findDateInName } from './date-in-name.ts'

function timeOf(name: string): string {
  const found = findDateInName(name)
  return 'timeMs' in found ? new Date(found.timeMs).toISOString() : found.fault
}

describe('the date in the name of a granule', () => {
  const forms: [string, string][] = [
    ['ndvi_2004.tif', '2004-01-01T00:00:00.000Z'],
    ['ndvi_200411.tif', '2004-11-01T00:00:00.000Z'],
    ['ndvi-2004-11.tif', '2004-11-01T00:00:00.000Z'],
    ['bm_20041130.tif', '2004-11-30T00:00:00.000Z'],
    ['bm_2004-11-30.tif', '2004-11-30T00:00:00.000Z'],
    ['bm.2004.11.30.tif', '2004-11-30T00:00:00.000Z'],
    ['2004_11_30_bm.tif', '2004-11-30T00:00:00.000Z'],
    ['bm_20041130T2359.tif', '2004-11-30T23:59:00.000Z'],
    ['bm_20041130T235958.tif', '2004-11-30T23:59:58.000Z'],
    ['bm_20041130T235958Z.tif', '2004-11-30T23:59:58.000Z'],
    ['bm_20041130T235958.123Z.tif', '2004-11-30T23:59:58.123Z'],
    ['bm_20041130235958123.tif', '2004-11-30T23:59:58.123Z'],
    ['bm_2004-11-30T23-59-58.tif', '2004-11-30T23:59:58.000Z'],
    ['bm_2004-11-30T23:59:58.tif', '2004-11-30T23:59:58.000Z'],
    ['bm_20041130_235958.tif', '2004-11-30T23:59:58.000Z'],
    ['20041130', '2004-11-30T00:00:00.000Z'],
  ]
  for (const [name, expected] of forms) {
    it(`reads ${name}`, () => assert.equal(timeOf(name), expected))
  }

  it('takes the date of most parts where there are several', () => {
    assert.equal(timeOf('LC08_193027_2019_20200113.tif'), '2020-01-13T00:00:00.000Z')
  })

  it('takes a date that is there twice', () => {
    assert.equal(timeOf('20200113_tile_20200113.tif'), '2020-01-13T00:00:00.000Z')
  })

  it('says that two dates are there', () => {
    assert.match(timeOf('a_20200101_b_20200113.tif'), /two dates, 20200101 and 20200113/)
  })

  it('leaves numbers alone that are no date', () => {
    for (const name of ['tile_1024.tif', 'tile_20201301.tif', 'dem_20230229.tif', 'b123456789.tif', 'a.2020'])
      assert.match(timeOf(name), name === 'a.2020' ? /^2020/ : /no date/)
  })

  it('does not take a date out of a longer run of digits', () => {
    assert.match(timeOf('id120200113.tif'), /no date/)
  })

  it('finds what a date is written as, in any of the forms', () => {
    const date = fc.date({ min: new Date('1800-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(date, fc.constantFrom('', '-', '_', '.'), (at, dash) => {
        const [year, month, day] = at.toISOString().slice(0, 10).split('-')
        const name = `granule_${[year, month, day].join(dash)}.tif`
        assert.equal(timeOf(name), `${at.toISOString().slice(0, 10)}T00:00:00.000Z`)
      }),
    )
  })

  it('ends soon on any name', () =>
    takesProcessorSeconds(5, () => {
      fc.assert(fc.property(fc.string({ maxLength: 300 }), (name) => void findDateInName(name)))
      findDateInName('2020-'.repeat(50_000))
      findDateInName('9'.repeat(255_000))
    }))
})
