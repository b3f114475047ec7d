import assert from 'node:assert/strict'
import { it } from 'node:test'
import { searchCrs } from './search-crs.ts'

const first = (words: string): string | undefined => searchCrs(words, 5).found[0]?.srs

it('finds a CRS by code, name and area, the best first', () => {
  assert.equal(first('25832'), 'EPSG:25832')
  assert.equal(first('epsg:4326'), 'EPSG:4326')
  assert.equal(first('ESRI:102003'), 'ESRI:102003')
  assert.equal(first('utm zone 32N etrs89'), 'EPSG:25832')
  assert.equal(first('Conus Albers'), 'EPSG:5070')
  assert.match(searchCrs('lambert france', 5).found[0]?.name ?? '', /Lambert/)
  assert.equal(first('berlin'), 'EPSG:3068')
  assert.equal(first('BÉRLIN sóldner'), 'EPSG:3068')
})

it('gives no more than asked, and nothing for nothing', () => {
  const { found, total } = searchCrs('utm', 7)
  assert.equal(found.length, 7)
  assert.ok(total > 500)
  assert.ok(found.every(({ isDeprecated }) => !isDeprecated))
  for (const words of ['', '  ,', 'no such system anywhere', 'x'.repeat(10_000), '\u0000(['])
    assert.deepEqual(searchCrs(words, 5), { found: [], total: 0 })
})
