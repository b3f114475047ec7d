import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { shapefile } from '../../../src/formats/shapefile/shapefile.ts'
import { createColumnBuilder } from '../../../src/geo/column-builder.ts'
import { NumberFieldSurvey } from '../../../src/render/downloads/number-fields.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { createDatabaseImport, importState, schemaWith } from '../../support/database-import.ts'
import { downloaded } from '../../support/downloaded.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import { clientOf } from '../../support/importer-client.ts'
import { readLayer } from '../../support/read-layer.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'

const values = [
  1e-300, -1e300, 1e22, -1e22, 0.1, 123_456_789.123_456_78, 1e-7, 5e-324, 1.797_693_134_862_315_7e308,
  -123_456_789_012.125, 0, 1.5e28, -1.5e27, 0.300_000_000_000_000_04,
]

const numbersSql = `create table lengths (n int primary key, ends float8, single real, whole int8, thirds float8, plain float8, geom geometry);
insert into lengths select n, v, case when abs(v) < 1e30 and (v = 0 or abs(v) > 1e-30) then v end,
  case when n % 2 = 0 then 9223372036854775807 else 7 end, n + 1 / 3.0::float8, n / 8.0::float8,
  case when n % 4 = 0 then null when n % 4 = 1 then ST_SetSRID(ST_MakePoint(n, 50), 4326)
    else ST_GeomFromText('LINESTRING(8 50,9 51)', 4326) end
from unnest(array[${values.join(', ')}]::float8[]) with ordinality as given (v, n)`

describe('numbers of a Shapefile', needsGdal, () => {
  let server: TestApp
  const cleanups: (() => unknown)[] = []
  const folder = temporaryFolder({ after: (cleanup) => void cleanups.push(cleanup as () => unknown) })
  before(async () => {
    server = await createTestApp()
    const client = clientOf(server)
    await createDatabaseImport(client, await schemaWith(numbersSql))
    await client.call('POST', '/0')
    assert.equal(String((await importState(client))['state']), 'COMPLETE')
  })
  after(async () => {
    await server.close()
    for (const cleanup of cleanups) await cleanup()
  })

  it('have fields as wide as they need, and every loss is told', async () => {
    const reply = await downloaded(server, '/ogc/collections/default:lengths/download?f=shp', server.admin)
    assert.equal(reply.statusCode, 200, reply.body.slice(0, 500))
    const losses = decodeURIComponent(String(reply.headers['terrane-losses']))
    assert.match(
      losses,
      /rounded, since a field has 31 characters, and how many: "ends \(\d\)", "single \(\d\)"/,
    )
    assert.match(losses, /too large for a field, which are missing, and how many: "ends \(2\)"/)
    assert.match(losses, /read as floating-point numbers, and how many: "whole \(7\)"/)
    const zip = join(folder, 'lengths.zip')
    writeFileSync(zip, reply.rawPayload)
    mkdirSync(join(folder, 'files'))
    execFileSync('unzip', ['-q', zip, '-d', join(folder, 'files')])
    const found = new Map<unknown, unknown[]>()
    for (const name of readdirSync(join(folder, 'files')).filter((one) => one.endsWith('.shp'))) {
      const { rows, layer, rejects } = await readLayer(shapefile, join(folder, 'files', name))
      assert.equal(rejects.length, 0)
      const names = layer.schema.attributes.map((attribute) => attribute.name)
      assert.deepEqual(names, ['n', 'ends', 'single', 'whole', 'thirds', 'plain'])
      for (const row of rows) found.set(row.values[0], row.values)
    }
    assert.equal(found.size, values.length)
    for (const [at, value] of values.entries()) {
      const [n, ends, single, whole, thirds, plain] = found.get(at + 1) ?? []
      assert.deepEqual([thirds, plain], [Number(n) + 1 / 3, Number(n) / 8])
      assert.equal(String(whole), Number(n) % 2 === 0 ? '9223372036854775807' : '7')
      if (Math.abs(value) >= 1e29) assert.equal(ends, null)
      else assert.ok(Math.abs(Number(ends) - value) <= 0.06, `${ends} ${value}`)
      if (single !== null)
        assert.ok(Math.abs(Number(single) - Math.fround(value)) <= 0.06, `${single} ${value}`)
    }
  })

  it('lose nothing that is not counted, whatever they are', () => {
    let seed = 7
    const random = (): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed / 2_147_483_648
    }
    for (let round = 0; round < 300; round += 1) {
      const given = Array.from({ length: 1 + Math.floor(random() * 6) }, () => {
        const number = (random() - 0.5) * 10 ** Math.floor(random() * (round % 70) - (round % 35))
        return random() < 0.3 ? Math.round(number) : number
      })
      const builder = createColumnBuilder('float64', given.length)
      for (const value of given) if (builder.kind === 'fixed') builder.append(value)
      const survey = new NumberFieldSurvey()
      const { nullCount } = survey.add(builder.finish(), given.length)
      const { field = { width: 24, decimals: 15 }, rounded, tooLarge } = survey.finish()
      assert.equal(nullCount, tooLarge)
      const written = given
        .filter((value) => Math.abs(value) < 1e27)
        .map((value) => [value, value.toFixed(Math.min(100, field.decimals))])
      for (const [, text] of written) assert.ok(String(text).length <= field.width, `${text} ${field.width}`)
      const changed = written.filter(
        ([value, text]) => Math.abs(Number(value)) < 1e21 && Number(text) !== value,
      )
      assert.ok(changed.length <= rounded, `${given} ${JSON.stringify(field)} ${rounded}`)
      if (given.every((value) => Math.abs(value) < 1e21)) assert.equal(changed.length, rounded)
    }
  })
})
