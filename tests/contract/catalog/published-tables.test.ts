import assert from 'node:assert/strict'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { configurationClient } from '../../support/configuration.ts'
import { storeParameters } from '../../support/postgis-store.ts'
import type { PostgresCluster } from '../../support/postgres.ts'
import { runSql, testCluster } from '../../support/postgres.ts'
import { importPoints } from '../../support/versioned-layers.ts'

let cluster: PostgresCluster
let databaseUrl: string
let terrane: TestApp
before(async () => {
  cluster = await testCluster()
  databaseUrl = await cluster.createDatabase()
  await runSql(databaseUrl, 'create schema city')
  terrane = await createTestApp()
  const { statusCode, body } = await send('POST', '/workspaces/default/datastores', {
    dataStore: { name: 'city', type: 'PostGIS', connectionParameters: storeParameters(databaseUrl, 'city') },
  })
  assert.equal(statusCode, 201, body)
})
after(async () => {
  await terrane.close()
  await cluster.dropDatabase(databaseUrl)
  await cluster.stop()
})
const { send } = configurationClient(() => terrane)
const store = '/workspaces/default/datastores/city'

async function sql(text: string): Promise<void> {
  await runSql(databaseUrl, `set search_path = city, public; ${text}`)
}

interface Listed {
  name: string
  kind: string
  geometry: { column: string; type: string; srs: string | null } | null
  key: string | null
  rows: number | null
  published: string | null
  problems: { code: string; message: string; sql?: string }[]
}

async function tables(): Promise<Map<string, Listed>> {
  const answer = await send('GET', `${store}/tables`)
  assert.equal(answer.statusCode, 200, answer.body)
  return new Map((answer.json().tables as Listed[]).map((table) => [table.name, table]))
}

async function publish(nativeName: string, more: object = {}) {
  return send('POST', `${store}/featuretypes`, { featureType: { nativeName, ...more } })
}

async function items(layer: string, query = ''): Promise<{ id: unknown; properties: object }[]> {
  const reply = await terrane.app.inject({
    url: `/ogc/collections/default:${layer}/items?f=json${query}`,
    headers: terrane.admin,
  })
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json().features
}

describe('tables published in place', () => {
  it('are listed with kind, geometry, key, estimate and problems, without reading rows', async () => {
    await sql(`
      create table roads (id int primary key, name text, geom geometry(LineStringZ, 25832));
      create index on roads using gist (geom); insert into roads select n, 'r', null from generate_series(1, 20) n;
      analyze roads;
      create table "Odd ""Näme" (code text, at geography(Point));
      create view upper_roads as select id, upper(name) as name, geom from roads;
      create materialized view many as select * from roads;
      create table notes (id bigint generated always as identity primary key, text text);
      create table plots (id int, outline geometry(Polygon, 4326), centre geometry(Point, 3857)) partition by list (id);
      create table plots_1 partition of plots for values in (1);
      create table old_style (id int primary key, g geometry, check (geometrytype(g) = 'POINT'), check (st_srid(g) = 31467));
      create table unknown_crs (id int primary key, g geometry)`)
    const all = await tables()
    assert.deepEqual(
      [...all.keys()],
      [
        'Odd "Näme',
        'many',
        'notes',
        'old_style',
        'plots',
        'plots(centre)',
        'roads',
        'unknown_crs',
        'upper_roads',
      ],
    )
    const { problems, ...roads } = all.get('roads') as Listed
    assert.deepEqual(roads, {
      name: 'roads',
      schema: 'city',
      kind: 'table',
      geometry: { column: 'geom', type: 'LineStringZ', srs: 'EPSG:25832' },
      key: 'id',
      rows: 20,
      published: null,
    })
    assert.deepEqual(problems, [])
    assert.deepEqual(all.get('Odd "Näme')?.geometry, { column: 'at', type: 'Point', srs: 'EPSG:4326' })
    assert.deepEqual(
      all.get('Odd "Näme')?.problems.map(({ code }) => code),
      ['no-key', 'no-index', 'empty-statistics'],
    )
    assert.deepEqual(
      [all.get('upper_roads')?.kind, all.get('many')?.kind, all.get('plots')?.kind],
      ['view', 'matview', 'table'],
    )
    assert.deepEqual(all.get('plots(centre)')?.geometry, {
      column: 'centre',
      type: 'Point',
      srs: 'EPSG:3857',
    })
    assert.equal(all.get('notes')?.geometry, null)
    assert.deepEqual(all.get('old_style')?.geometry, { column: 'g', type: 'POINT', srs: 'EPSG:31467' })
    assert.ok(all.get('unknown_crs')?.problems.some(({ code }) => code === 'no-srid'))
  })

  it('are published as layers whose features are those of the table', async () => {
    await sql(`
      create table trees ("Tree ID" int primary key, "höhe" float8, planted date, at geometry(Point, 25832));
      insert into trees values (7, 1.5, '2020-01-02', ST_SetSRID(ST_MakePoint(500000, 5500000), 25832)),
        (9, null, null, null)`)
    const made = await publish('trees', { title: 'Trees' })
    assert.equal(made.statusCode, 201, made.body)
    assert.deepEqual(made.json().featureType.managed, false)
    const features = await items('trees')
    assert.deepEqual(
      features.map(({ id }) => String(id)),
      ['7', '9'],
    )
    assert.deepEqual(features[0]?.properties, { 'Tree ID': 7, höhe: 1.5, planted: '2020-01-02' })
    assert.equal((await tables()).get('trees')?.published, 'trees')
    await sql(`insert into trees values (11, 3, null, ST_SetSRID(ST_MakePoint(1, 2), 25832))`)
    assert.equal((await items('trees')).length, 3)
    await terrane.catalog.follower.follow()
    const { layer } = (await send('GET', '/layers/default:trees')).json()
    assert.equal(layer.featureCount, 3)
    await sql('delete from trees where "Tree ID" = 11')
    const refreshed = await send('POST', '/layers/default:trees/refresh')
    assert.equal(refreshed.json().layer.featureCount, undefined, 'a count of an earlier version is not shown')
    const again = await publish('trees')
    assert.equal(again.statusCode, 409, again.body)
    assert.match(again.body, /default:trees/)
  })

  it('show each geometry column as a layer, and views with the SRID of their rows', async () => {
    await sql(`
      create table sites (id int primary key, place geometry(Point, 4326), area geometry(Polygon, 3857));
      insert into sites values (1, ST_SetSRID(ST_MakePoint(7, 50), 4326), ST_SetSRID(ST_MakeEnvelope(0, 0, 10, 10), 3857));
      create view moved as select id, ST_Transform(place, 3857) as place from sites`)
    assert.equal((await publish('sites')).statusCode, 201)
    assert.equal((await publish('sites(area)', { name: 'site_areas' })).statusCode, 201)
    const places = await items('sites')
    const areas = await items('site_areas')
    assert.equal((places[0] as unknown as { geometry: { type: string } }).geometry.type, 'Point')
    assert.equal((areas[0] as unknown as { geometry: { type: string } }).geometry.type, 'Polygon')
    const view = await publish('moved')
    assert.equal(view.statusCode, 201, view.body)
    assert.equal(view.json().featureType.srs, 'EPSG:3857')
    const [moved] = await items('moved', '&bbox=6,49,8,51')
    const { coordinates } = (moved as unknown as { geometry: { coordinates: number[] } }).geometry
    assert.ok(Math.abs((coordinates[0] ?? 0) - 7) < 1e-6)
    assert.equal((await items('moved', '&bbox=16,49,18,51')).length, 0)
    const tile = await terrane.app.inject({
      url: '/tiles/default:site_areas/0/0/0.mvt',
      headers: terrane.admin,
    })
    assert.equal(tile.statusCode, 200)
  })

  it('are never altered by Terrane unless "managed" allows it', async () => {
    await sql(`create table owned (id int primary key, name text, g geometry(Point, 4326));
      insert into owned values (1, 'a', null)`)
    assert.equal((await publish('owned')).statusCode, 201)
    const edit = () =>
      terrane.app.inject({
        method: 'DELETE',
        url: '/ogc/collections/default:owned/items/1',
        headers: terrane.admin,
      })
    const refused = await edit()
    assert.equal(refused.statusCode, 405, refused.body)
    assert.match(refused.body, /managed/)
    const changed = await send('PUT', '/layers/default:owned', { layer: { managed: 'edit' } })
    assert.equal(changed.statusCode, 200, changed.body)
    assert.equal(changed.json().layer.managed, 'edit')
    assert.equal((await edit()).statusCode, 204)
    const removed = await send('DELETE', '/layers/default:owned?recurse=true')
    assert.equal(removed.statusCode, 200)
    assert.ok((await tables()).has('owned'), 'the table stays')
  })

  it('differ where only the case of their names does, and by geometry column', async () => {
    await sql(`create table lanes (id int primary key, a geometry(Point, 4326), b geometry(Point, 4326));
      create table "Lanes" (id int primary key)`)
    assert.equal((await publish('lanes')).statusCode, 201)
    const all = await tables()
    assert.deepEqual(
      ['lanes', 'Lanes', 'lanes(b)'].map((name) => all.get(name)?.published),
      ['lanes', null, null],
    )
    const refused = await publish('lanes(b)', { managed: 'load' })
    assert.equal(refused.statusCode, 400, refused.body)
    assert.equal((await publish('lanes(b)', { name: 'lanes_b' })).statusCode, 201)
    const changed = await send('PUT', '/layers/default:lanes_b', { layer: { managed: 'load' } })
    assert.equal(changed.statusCode, 400, changed.body)
    assert.match(changed.body, /whole table/)
  })

  it('report what cannot be published, and go on with the rest', async () => {
    await sql(`create schema bad; set search_path = bad, public;
      create table fine (id int primary key, g geometry(Point, 4326));
      create table mixed (id int primary key, g geometry);
      insert into mixed values (1, ST_SetSRID(ST_MakePoint(1, 2), 4326)), (2, ST_SetSRID(ST_MakePoint(1, 2), 3857));
      create view broken as select 1 / (select count(*) from fine) as id`)
    const { statusCode } = await send('POST', '/workspaces/default/datastores', {
      dataStore: { name: 'bad', type: 'PostGIS', connectionParameters: storeParameters(databaseUrl, 'bad') },
    })
    assert.equal(statusCode, 201)
    const all = await send('POST', '/workspaces/default/datastores/bad/tables', { publish: {} })
    assert.equal(all.statusCode, 200, all.body)
    const { published, failed } = all.json()
    assert.deepEqual(
      published.map(({ name }: { name: string }) => name),
      ['fine'],
    )
    assert.deepEqual(
      failed.map(({ table, code }: { table: string; code: string }) => [table, code]),
      [
        ['broken', 'unreadable-table'],
        ['mixed', 'mixed-crs'],
      ],
    )
  })

  it('follow alterations, new rows and new tables', async () => {
    await sql(`create schema growing; set search_path = growing, public;
      create table first (id int primary key, name text, g geometry(Point, 4326))`)
    const made = await send('POST', '/workspaces/default/datastores', {
      dataStore: {
        name: 'growing',
        type: 'PostGIS',
        connectionParameters: storeParameters(databaseUrl, 'growing'),
        discovery: { include: ['f*', 's*'], exclude: ['*_old'], naming: 'growing_{table}' },
      },
    })
    assert.equal(made.statusCode, 201, made.body)
    const names = async () =>
      (await send('GET', '/workspaces/default/datastores/growing/featuretypes'))
        .json()
        .featureTypes.featureType.map(({ name }: { name: string }) => name)
    await terrane.catalog.follower.follow()
    assert.deepEqual(await names(), ['growing_first'])
    await runSql(
      databaseUrl,
      `set search_path = growing, public; create table second (id int primary key); create table second_old (id int);
       alter table first drop column name, add column size float8;
       insert into first values (1, ST_SetSRID(ST_MakePoint(3, 4), 4326), 2.5)`,
    )
    await terrane.catalog.follower.follow()
    assert.deepEqual(await names(), ['growing_first', 'growing_second'])
    const { layer } = (await send('GET', '/layers/default:growing_first')).json()
    assert.deepEqual(
      layer.attributes.map(({ name }: { name: string }) => name),
      ['id', 'size', 'g'],
    )
    assert.deepEqual(layer.altered, ['Column "name" was dropped or renamed.'])
    assert.deepEqual([layer.featureCount, layer.bbox.minx, layer.bbox.maxy], [1, 3, 4])
    const dismissed = await send('PUT', '/layers/default:growing_first', { layer: { altered: [] } })
    assert.equal(dismissed.json().layer.altered, undefined, dismissed.body)
    await send('DELETE', '/layers/default:growing_second')
    await terrane.catalog.follower.follow()
    assert.deepEqual(await names(), ['growing_first'])
  })

  it('take imports and restores only with "managed": "load"', async () => {
    await sql(`create table stops (id int primary key, name text, g geometry(Point, 4326));
      insert into stops values (1, 'kept', null)`)
    assert.equal((await publish('stops')).statusCode, 201)
    const load = () => importPoints(terrane, { store: 'city', name: 'stops', mode: 'REPLACE' })
    await assert.rejects(load, /COMPLETE_ERROR/)
    const task = await terrane.app.inject({ url: '/rest/imports/0/tasks/0', headers: terrane.admin })
    assert.match(task.body, /published in place/)
    assert.deepEqual(
      (await items('stops')).map(({ properties }) => properties),
      [{ id: 1, name: 'kept' }],
    )
    const restore = await terrane.app.inject({
      method: 'POST',
      url: '/rest/layers/default:stops/versions/1/restore',
      headers: terrane.admin,
    })
    assert.equal(restore.statusCode, 405, restore.body)
    await send('PUT', '/layers/default:stops', { layer: { managed: 'load' } })
    await sql('alter table stops alter id add generated by default as identity')
    await load()
    assert.deepEqual((await items('stops')).length, 2)
  })

  it('leave out a column that the user may not read, and say so', async () => {
    const user = `reader_${process.pid}`
    await sql(`create schema shared; create table shared.people (id int primary key, name text, pay int, g geometry(Point, 4326));
      insert into shared.people values (1, 'a', 5, null);
      create role ${user} login password 'reader'; grant usage on schema shared to ${user};
      grant select (id, name, g) on shared.people to ${user}`)
    try {
      const parameters = { ...storeParameters(databaseUrl, 'shared'), user, passwd: 'reader' }
      await send('POST', '/workspaces/default/datastores', {
        dataStore: { name: 'shared', type: 'PostGIS', connectionParameters: parameters },
      })
      const path = '/workspaces/default/datastores/shared'
      const { tables: listed } = (await send('GET', `${path}/tables`)).json()
      assert.match(JSON.stringify(listed[0].problems), /no-rights-column.*pay/)
      const made = await send('POST', `${path}/featuretypes`, { featureType: { name: 'people' } })
      assert.equal(made.statusCode, 201, made.body)
      assert.deepEqual((await items('people'))[0]?.properties, { id: 1, name: 'a' })
    } finally {
      await send('DELETE', '/workspaces/default/datastores/shared?recurse=true')
      await sql(`drop schema shared cascade; drop role ${user}`)
    }
  })

  it('of a GeoPackage are read where they are', async () => {
    const path = join(terrane.dataDir, 'incoming', 'stations.gpkg')
    cpSync(join('tests', 'fixtures', 'geopackage', 'stations.gpkg'), path)
    const made = await send('POST', '/workspaces/default/datastores', {
      dataStore: { name: 'stations', type: 'GeoPackage', connectionParameters: { path } },
    })
    assert.equal(made.statusCode, 201, made.body)
    const before = readFileSync(path)
    const all = await send('POST', '/workspaces/default/datastores/stations/tables', { publish: {} })
    assert.equal(all.statusCode, 200, all.body)
    const { published, failed } = all.json()
    assert.deepEqual([published.length > 0, failed], [true, []])
    for (const { name } of published) await items(name)
    assert.deepEqual(readFileSync(path), before, 'the file is not written')
  })
})
