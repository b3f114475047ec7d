import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ImporterClient } from '../../support/importer-client.ts'
import { listOf, readItems, startImporter } from '../../support/importer-client.ts'

interface Proposal {
  kind: string
  transform: { type: string; latField?: string; lngField?: string; field?: string }
  srs?: string
  evidence: string
}

async function upload(client: ImporterClient, content: string): Promise<string> {
  const id = (await client.call('POST', '')).json.import?.id as unknown as number
  const answer = await client.upload(id, [{ name: `places${id}.csv`, content }])
  assert.equal(answer.status, 201, answer.text)
  return `/${id}`
}

const proposalsOf = async (client: ImporterClient, path: string): Promise<Proposal[]> =>
  listOf<Proposal>((await client.call('GET', `${path}/tasks/0`)).json.task?.proposals)

/** Applies a proposal unchanged, runs the import, and returns the points of the layer. */
async function apply(client: ImporterClient, path: string, proposal: Proposal): Promise<unknown[]> {
  const added = await client.call('POST', `${path}/tasks/0/transforms`, proposal.transform)
  assert.equal(added.status, 201, added.text)
  const set = await client.call('PUT', `${path}/tasks/0/layer`, { layer: { srs: proposal.srs } })
  assert.equal(set.status, 200, set.text)
  assert.equal((await client.call('POST', path)).status, 204)
  const layer = (await client.call('GET', `${path}/tasks/0/layer`)).json.layer
  const items = await readItems(client, `default:${String(layer?.name)}`)
  return listOf<{ geometry: { coordinates: unknown } | null }>(items.features).map(
    ({ geometry }) => geometry?.coordinates,
  )
}

describe('geometry that a table has in its columns', () => {
  it('is proposed as the transformation to apply, and applies', async (test) => {
    const client = await startImporter(test)
    for (const [csv, field] of [
      ['name,Breite,Länge\nRom,41.9,12.5\nBern,46.95,7.45\n', 'Breite'],
      ['name,широта,долгота\nRom,41.9,12.5\nBern,46.95,7.45\n', 'широта'],
      ['name,stop_lat,stop_lon\nRom,41.9,12.5\nBern,46.95,7.45\n', 'stop_lat'],
      ['name,coordinates\nRom,"41.9, 12.5"\nBern,"46.95 7.45"\n', 'coordinates'],
      ['name;Breite;Länge\nRom;41,9;12,5\nBern;46,95;7,45\n', 'Breite'],
      ['name;Koordinaten\nRom;41,9 12,5\nBern;46,95 / 7,45\n', 'Koordinaten'],
      ['name,座標\nRom,"(41.9; 12.5)"\nBern,"46.95,7.45"\n', '座標'],
    ] as const) {
      const path = await upload(client, csv)
      const [proposal, ...rest] = await proposalsOf(client, path)
      assert.ok(proposal !== undefined, csv)
      assert.deepEqual(
        [rest.length, proposal.kind, proposal.srs, proposal.transform.latField],
        [0, 'geometry', 'EPSG:4326', field],
      )
      assert.match(proposal.evidence, new RegExp(`"${field}"`))
      assert.deepEqual(await apply(client, path, proposal), [
        [12.5, 41.9],
        [7.45, 46.95],
      ])
      assert.deepEqual(await proposalsOf(client, path), [])
    }
  })

  it('is proposed of projected columns too, whose CRS has to be named; WKT is the geometry already', async (test) => {
    const client = await startImporter(test)
    const projected = await upload(client, 'name,Rechtswert,Hochwert\nA,392000,5820000\n')
    const [found] = await proposalsOf(client, projected)
    const wkt = await upload(client, 'name,Umring\nA,POINT (12.5 41.9)\n')
    assert.deepEqual(await proposalsOf(client, wkt), [])
    assert.deepEqual([found?.transform.lngField, found?.srs], ['Rechtswert', undefined])
  })

  it('is not proposed of a table without any, nor told to older clients', async (test) => {
    const client = await startImporter(test)
    for (const csv of ['name,value\nA,1\n', 'ratio,size\n"1, 2",3\n', 'lat,lon\n,\n', 'name\n']) {
      assert.deepEqual(await proposalsOf(client, await upload(client, csv)), [], csv)
    }
    const older = await startImporter(test, { env: { TERRANE_DIALECT: 'geoserver' } })
    assert.deepEqual(await proposalsOf(older, await upload(older, 'lat,lon\n1,2\n')), [])
  })

  it('rejects texts that hold no two numbers', async (test) => {
    const client = await startImporter(test)
    const path = await upload(client, 'name,coordinates\nA,"1, 2"\nB,north\nC,"1, 2, 3"\nD,\n')
    const [proposal] = await proposalsOf(client, path)
    assert.ok(proposal !== undefined)
    await client.call('PUT', `${path}/tasks/0`, { task: { rejectLimit: 2 } })
    assert.deepEqual(await apply(client, path, proposal), [[2, 1], undefined])
    const rejects = await client.call('GET', `${path}/tasks/0/rejects`)
    assert.match(rejects.text, /The value is not two numbers/)
  })
})
