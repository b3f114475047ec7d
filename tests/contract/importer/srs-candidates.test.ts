import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { createReprojector } from '../../../src/geo/crs-reproject.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { listOf, startImporter } from '../../support/importer-client.ts'

interface Candidate {
  srs: string
  evidence: string
  bbox?: number[]
}

const town: [number, number][] = [
  [13.2, 52.45],
  [13.5, 52.45],
  [13.35, 52.6],
]

/** A GeoJSON file that names no CRS the old way: coordinates of another system, its `crs` member null. */
async function townIn(srs: string): Promise<string> {
  const reprojector = await createReprojector('EPSG:4326', srs, { canUsePrograms: false })
  const ring = [...town, town[0] ?? [0, 0]].map(([x, y]) => {
    const place = { x, y }
    reprojector.transformPlace?.(place, 0)
    return [place.x, place.y]
  })
  const geometry = { type: 'Polygon', coordinates: [ring] }
  return JSON.stringify({
    type: 'FeatureCollection',
    crs: null,
    features: [{ type: 'Feature', properties: { a: 1 }, geometry }],
  })
}

async function upload(client: ImporterClient, name: string, content: string): Promise<number> {
  const id = (await client.call('POST', '')).json.import?.id as unknown as number
  const answer = await client.upload(id, [{ name, content }])
  assert.equal(answer.status, 201, answer.text)
  return id
}

const candidatesOf = async (client: ImporterClient, id: number, query = '') => {
  const answer = await client.call('GET', `/${id}/tasks/0/srs-candidates${query}`)
  assert.equal(answer.status, 200, answer.text)
  return { found: listOf<Candidate>(answer.json.srsCandidates), json: answer.json }
}

describe('the CRS of data that name none', () => {
  it('is found by a country, a state or a layer, and asked for without any', async (test) => {
    const client = await startImporter(test)
    const id = await upload(client, 'town.geojson', await townIn('EPSG:25833'))
    assert.equal((await client.call('GET', `/${id}/tasks/0`)).json.task?.state, 'NO_CRS')
    const open = await candidatesOf(client, id)
    assert.deepEqual([open.found, open.json.needsPlace, open.json.places], [[], true, []])
    for (const place of ['Deutschland', 'DE', 'Allemagne', 'Berlin']) {
      const { found, json } = await candidatesOf(client, id, `?place=${place}`)
      assert.ok(
        found.slice(0, 3).some(({ srs }) => srs === 'EPSG:25833'),
        place,
      )
      assert.equal(json.needsPlace, false)
    }
    const [first] = (await candidatesOf(client, id, '?place=Berlin')).found
    assert.equal(first?.srs, 'EPSG:25833')
    assert.match(first?.evidence ?? '', /lie in Germany.*They touch Berlin/)
    const [west = 0, south = 0, east = 0, north = 0] = first?.bbox ?? []
    for (const [off, is] of [
      [west, 13.2],
      [south, 52.45],
      [east, 13.5],
      [north, 52.6],
    ]) {
      assert.ok(Math.abs((off ?? 0) - (is ?? 0)) < 0.01)
    }
    const unknown = await client.call('GET', `/${id}/tasks/0/srs-candidates?place=Atlantis`)
    assert.deepEqual([unknown.status, unknown.json.code], [400, 'unknown-place'])
  })

  it('is proposed by the layers of the workspace, and can be tried on the map', async (test) => {
    const client = await startImporter(test)
    const world = new URL('../../../sample/natural-earth/countries.geojson', import.meta.url)
    const germany = JSON.parse(readFileSync(world, 'utf8')) as {
      features: { properties: { NAME: string } }[]
    }
    germany.features = germany.features.filter(({ properties }) => properties.NAME === 'Germany')
    const first = await upload(client, 'germany.geojson', JSON.stringify(germany))
    assert.equal((await client.call('POST', `/${first}`)).status, 204)
    const id = await upload(client, 'town.geojson', await townIn('EPSG:31468'))
    const layer = (await client.call('GET', `/${id}/tasks/0/layer`)).json.layer
    const proposed = listOf<Candidate>(layer?.srsCandidates)
    assert.match(proposed[0]?.evidence ?? '', /They touch layer .*:germany/)
    assert.ok(
      proposed.slice(0, 3).some(({ srs }) => srs === 'EPSG:31468'),
      JSON.stringify(proposed.slice(0, 3)),
    )
    const { found, json } = await candidatesOf(client, id)
    assert.deepEqual(
      found.map(({ srs }) => srs),
      proposed.map(({ srs }) => srs),
    )
    assert.equal(listOf<string>(json.places).length, 1)
    const named = listOf<string>(json.places)[0]?.replace('layer ', '') ?? ''
    const byName = await candidatesOf(client, id, `?place=${encodeURIComponent(named)}`)
    assert.deepEqual(byName.found, found)
    const gone = await client.call('GET', `/${id}/tasks/0/srs-candidates?place=no:layer`)
    assert.deepEqual([gone.status, gone.json.code], [400, 'unknown-place'])
    const rows = await client.call('GET', `/${id}/tasks/0/rows?srs=EPSG:31468`)
    const [feature] = listOf<{ geometry: { coordinates: number[][][] } }>(rows.json.features)
    assert.ok(Math.abs((feature?.geometry.coordinates[0]?.[0]?.[0] ?? 0) - 13.2) < 0.001)
  })
})

describe('the CRS of points that a transformation makes', () => {
  it('is proposed by the rows of the table, and goes with the transformation', async (test) => {
    const client = await startImporter(test)
    const reprojector = await createReprojector('EPSG:4326', 'EPSG:25833', { canUsePrograms: false })
    const places = town.map(([x, y]) => {
      const place = { x, y }
      reprojector.transformPlace?.(place, 0)
      return place
    })
    const lines = places.map(({ x, y }, at) => `${at},${x},${y}`)
    const id = await upload(client, 'trees.csv', ['no,Rechtswert,Hochwert', ...lines].join('\n'))
    const [proposal] = listOf<{ transform: object }>(
      (await client.call('GET', `/${id}/tasks/0`)).json.task?.proposals,
    )
    const added = await client.call('POST', `/${id}/tasks/0/transforms`, proposal?.transform)
    assert.equal(added.status, 201, added.text)
    const { found } = await candidatesOf(client, id, '?place=Berlin')
    assert.equal(found[0]?.srs, 'EPSG:25833')
    assert.match(found[0]?.evidence ?? '', /lie in Germany/)
    assert.equal((await candidatesOf(client, id)).json.needsPlace, true)
    const layerOf = async () => (await client.call('GET', `/${id}/tasks/0/layer`)).json.layer
    assert.deepEqual((await layerOf())?.srsCandidates, undefined)
    await client.call('DELETE', `/${id}/tasks/0/transforms/0`)
    assert.deepEqual((await candidatesOf(client, id, '?place=Berlin')).found, [])
  })

  it('stands on the layer where degrees, or a layer beside it, leave no doubt', async (test) => {
    const client = await startImporter(test)
    const id = await upload(client, 'spots.csv', 'a,lat,lon\n1,52.45,13.2\n2,52.6,13.5\n3,,\n')
    const points = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }
    await client.call('POST', `/${id}/tasks/0/transforms`, points)
    const { layer } = (await client.call('GET', `/${id}/tasks/0/layer`)).json
    assert.equal(listOf<Candidate>(layer?.srsCandidates)[0]?.srs, 'EPSG:4326')
    await client.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:4326' } })
    const ready = (await client.call('GET', `/${id}/tasks/0`)).json.task
    assert.equal(ready?.state, 'READY')
    await client.call('POST', `/${id}`)
    // The layer next to it shows where the coordinates of a projected CRS are.
    const reprojector = await createReprojector('EPSG:4326', 'EPSG:25833', { canUsePrograms: false })
    const place = { x: 13.3, y: 52.5 }
    reprojector.transformPlace?.(place, 0)
    const near = await upload(
      client,
      'near.csv',
      `no,x,y\n1,${place.x},${place.y}\n2,${place.x + 900},${place.y}\n`,
    )
    const xy = { type: 'AttributesToPointGeometryTransform', latField: 'y', lngField: 'x' }
    await client.call('POST', `/${near}/tasks/0/transforms`, xy)
    const shown = (await client.call('GET', `/${near}/tasks/0/layer`)).json.layer
    const first = listOf<Candidate>(shown?.srsCandidates).slice(0, 3)
    assert.ok(
      first.some(({ srs }) => srs === 'EPSG:25833'),
      JSON.stringify(shown),
    )
  })
})
