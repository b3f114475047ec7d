import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { countFeatures, listOf, readItems, startImporter } from '../../support/importer-client.ts'
import { addPostgisStore } from '../../support/postgis-store.ts'

interface Load {
  name: string
  content: string
  mode?: string
  task?: object
  body?: object
}

const table = 'name,pop,note\na,1,x\nb,2,y\n'
const noPlaces = '<kml xmlns="http://www.opengis.net/kml/2.2"><Document></Document></kml>'
const onePlace =
  '<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><name>a</name><Point><coordinates>1,2</coordinates></Point></Placemark></kml>'
const points = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }

/** Imports one file and returns its task. */
async function load(client: ImporterClient, { name, content, mode, task, body = {} }: Load): Promise<Json> {
  const id = Number((await client.call('POST', '', { import: body })).json.import?.id)
  await client.upload(id, [{ name, content }])
  const path = `/${id}/tasks/0`
  if (mode !== undefined) await client.call('PUT', path, { task: { updateMode: mode } })
  const put = await client.call('PUT', path, { task: { layer: { srs: 'EPSG:4326' }, ...task } })
  assert.equal(put.status, 200, put.text)
  assert.equal((await client.call('POST', `/${id}`)).status, 204)
  return (await client.call('GET', `${path}?expand=2`)).json.task ?? assert.fail()
}

for (const store of ['GeoPackage', 'PostGIS'] as const) {
  const start = async (test: TestContext): Promise<{ client: ImporterClient; body: object }> => {
    const client = await startImporter(test)
    if (store === 'GeoPackage') return { client, body: {} }
    await addPostgisStore(client, 'wide')
    return { client, body: { targetStore: { dataStore: { name: 'wide' } } } }
  }

  describe(`a load into ${store}`, () => {
    it('of which every row is rejected is an ERROR that names the reasons, whatever the limit', async (test) => {
      const { client, body } = await start(test)
      const content = 'name,lat,lon\na,north,1\nb,south,2\nc,3,west\n'
      const chain = { transformChain: { type: 'vector', transforms: [points] } }
      const task = await load(client, {
        name: 'p.csv',
        content,
        body,
        task: { ...chain, rejectLimit: '100%' },
      })
      assert.equal(task.state, 'ERROR')
      assert.match(
        String(task.errorMessage),
        /^Every row was rejected: 3 of 3\. The commonest reasons: 2 rows, "lat"/,
      )
      assert.match(
        String(task.errorMessage),
        /"lat": The value is not a number \(row 1 has "north"\); 1 row, "lon"/,
      )
      assert.deepEqual([task.rowsRead, task.rowsLoaded, task.rejected], [3, 0, 3])
      const rejects = await client.server.app.inject({
        url: new URL(String(task.rejects)).pathname,
        headers: client.server.admin,
      })
      assert.equal(rejects.json().features.length, 3)
      assert.equal(listOf((await readItems(client, 'default:p')).features).length, 0)
      const corrected = await client.call('PUT', '/0/tasks/0', {
        task: { transformChain: { transforms: [] } },
      })
      assert.equal(corrected.status, 200, corrected.text)
      await client.call('POST', '/0')
      const done = (await client.call('GET', '/0/tasks/0')).json.task
      assert.deepEqual([done?.state, done?.rejected, done?.rejects], ['COMPLETE', 0, undefined])
    })

    it('with REPLACE that reads no row leaves the layer, unless allowEmpty lets it', async (test) => {
      const { client, body } = await start(test)
      await load(client, { name: 'a.kml', content: onePlace, body })
      const replace = { name: 'a.kml', content: noPlaces, mode: 'REPLACE' }
      const task = await load(client, { ...replace, body })
      assert.equal(task.state, 'ERROR')
      assert.match(String(task.errorMessage), /No row was read: REPLACE would leave "a" empty.*allowEmpty/)
      assert.equal(await countFeatures(client, 'default:a'), 1)
      const allowed = await load(client, { ...replace, body, task: { allowEmpty: true } })
      assert.deepEqual([allowed.state, allowed.allowEmpty], ['COMPLETE', true])
      assert.equal(await countFeatures(client, 'default:a'), 0)
      assert.equal((await load(client, { ...replace, body })).state, 'COMPLETE')
      await load(client, { name: 'a.kml', content: onePlace, mode: 'REPLACE', body })
      const atCreation = await load(client, { ...replace, body: { ...body, allowEmpty: true } })
      assert.equal(atCreation.state, 'COMPLETE')
    })

    it('with an UPSERT that deletes what is missing and reads no row leaves the layer, unless allowEmpty lets it', async (test) => {
      const { client, body } = await start(test)
      const header = 'name,pop\n'
      await load(client, { name: 'a.csv', content: `${header}x,1\ny,2\n`, body })
      const rules = { keys: ['name'], deleteMissing: true }
      const upsert = { name: 'a.csv', content: header, mode: 'UPSERT', body }
      const task = await load(client, { ...upsert, task: rules })
      assert.deepEqual([task.state, task.errorCode], ['ERROR', 'empty-replace'])
      assert.match(String(task.errorMessage), /UPSERT with deleteMissing would leave "a" empty.*allowEmpty/)
      assert.equal(await countFeatures(client, 'default:a'), 2)
      assert.equal((await load(client, { ...upsert, task: { keys: ['name'] } })).state, 'COMPLETE')
      assert.equal(await countFeatures(client, 'default:a'), 2)
      const allowed = await load(client, { ...upsert, task: { ...rules, allowEmpty: true } })
      assert.equal(allowed.state, 'COMPLETE', String(allowed.errorMessage))
      assert.equal(await countFeatures(client, 'default:a'), 0)
    })

    it('with an UPSERT that deletes what is missing keeps rows that came and were rejected, also when it is let through', async (test) => {
      const { client, body } = await start(test)
      const rowsOf = (count: number, bad: number, late: number): string =>
        Array.from(
          { length: count },
          (_, at) => `é${at},${at},${at === late ? 'east' : at},${at === bad ? 'x' : 1}\n`,
        ).join('')
      const header = 'code,lat,lon,pop\n'
      const chain = {
        transformChain: {
          type: 'vector',
          transforms: [
            points,
            { type: 'AttributeRemapTransform', field: 'pop', target: 'java.lang.Integer' },
          ],
        },
      }
      await load(client, { name: 'a.csv', content: header + rowsOf(10, -1, -1), body, task: chain })
      const task = await load(client, {
        name: 'a.csv',
        content: header + rowsOf(8, 3, 4),
        mode: 'UPSERT',
        body,
        task: {
          ...chain,
          keys: ['code'],
          deleteMissing: true,
          rejectLimit: 2,
          stopIf: { removed: { rows: 1 } },
        },
      })
      assert.deepEqual(
        listOf(task.stopped).map(({ measured }) => measured),
        [{ rows: 2, percent: 20 }],
      )
      const accepted = await client.call('POST', '/1/tasks/0/accept', { stopped: ['removed'] })
      assert.equal(accepted.json.task?.state, 'COMPLETE', accepted.text)
      assert.ok(listOf(accepted.json.task?.messages).some(({ code }) => String(code) === 'missing-spared'))
      const { features } = await readItems(client, 'default:a')
      const codes = listOf<{ properties: Json }>(features).map(({ properties }) => String(properties.code))
      assert.deepEqual(
        codes.sort(),
        Array.from({ length: 8 }, (_, at) => `é${at}`),
      )
    })

    it('shows the columns that were loaded, and the geometry', async (test) => {
      const { client, body } = await start(test)
      const content = 'name,lat,lon,a b,fid\nx,1,2,3,9\n'
      const chain = {
        transformChain: { type: 'vector', transforms: [{ ...points, pointFieldName: 'place' }] },
      }
      const task = await load(client, { name: 'c.csv', content, body, task: chain })
      assert.equal(task.state, 'COMPLETE', String(task.errorMessage))
      const shown = listOf(task.layer?.attributes)
      assert.deepEqual(
        shown.map(({ name, source }) => [name, source]),
        [
          ['place', undefined],
          ['name', 'name'],
          ['a_b', 'a b'],
          [shown[3]?.name, 'fid'],
        ],
      )
      assert.equal(shown[0]?.binding, 'org.locationtech.jts.geom.Point')
      const again = await client.call('PUT', '/0/tasks/0/layer', { layer: task.layer })
      assert.equal(again.status, 200, again.text)
      const appended = await load(client, {
        name: 'c.csv',
        content: 'name,other\ny,1\n',
        mode: 'APPEND',
        body,
      })
      const names = listOf(appended.layer?.attributes).map(({ name }) => String(name))
      assert.ok(names.includes('name') && !names.includes('other') && !names.includes('a_b'), names.join())
    })
  })
}

describe('a REPLACE of a layer over a file', () => {
  it('that reads no row leaves the layer', async (test) => {
    const client = await startImporter(test)
    for (const ext of ['shp', 'shx', 'dbf', 'prj']) client.provide(`shapefile/utf.${ext}`)
    await client.call('POST', '?exec=true', { import: { data: { type: 'file', file: 'utf.shp' } } })
    const before = await countFeatures(client, 'default:utf')
    const task = await load(client, { name: 'utf.kml', content: noPlaces, mode: 'REPLACE' })
    assert.equal(task.state, 'ERROR', JSON.stringify(task))
    assert.match(String(task.errorMessage), /No row was read/)
    assert.equal(await countFeatures(client, 'default:utf'), before)
  })
})

it('a table without rows is loaded as one', async (test) => {
  const client = await startImporter(test)
  assert.equal((await load(client, { name: 'none.csv', content: 'a,b\n' })).state, 'COMPLETE')
  assert.equal((await load(client, { name: 't.csv', content: table })).state, 'COMPLETE')
})
