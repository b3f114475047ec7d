import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runSql, testCluster } from '../support/postgres.ts'
import { runTerrane, startTerrane, temporaryData } from '../support/terrane-process.ts'
import { until } from '../support/until.ts'

function settings(data: string): Record<string, string> {
  return {
    TERRANE_DATA: data,
    TERRANE_PORT: '0',
    TERRANE_ADMIN_PASSWORD: 'e2e-password',
    TERRANE_SAMPLE: 'off',
  }
}

async function makeDatabase(): Promise<string> {
  const url = await (await testCluster()).createDatabase()
  await runSql(
    url,
    `create table places as select i as id, ST_SetSRID(ST_MakePoint(i, i), 4326)::geometry(Point, 4326) as geom
       from generate_series(1, 50) i;
     create table people (name text); insert into people values ('x');
     create schema other; create table other.roads as select 1 as id, 'SRID=3857;LINESTRING(0 0, 1 1)'::geometry as geom`,
  )
  return url
}

/** An address without its password, and the password. */
function parted(address: string): { url: string; password: string } {
  const url = new URL(address)
  const { password } = url
  url.password = ''
  return { url: url.href, password }
}

describe('terrane import --database', () => {
  it('imports every table and sums up; tables without geometry take --srs', async (t) => {
    const url = await makeDatabase()
    const env = settings(temporaryData(t))
    const { code, stdout, stderr } = await runTerrane(
      t,
      ['import', '--database', url, '--srs', 'EPSG:4326'],
      env,
    )
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, /places\s+COMPLETE\s+50\s+0/)
    assert.match(stdout, /people\s+COMPLETE\s+1\s+0/)
    assert.match(stdout, /2 of 2 imported/)
    assert.ok(!(stdout + stderr).includes(new URL(url).password))
  })

  it('imports the tables that are named of another schema, the password from the environment', async (t) => {
    const { url, password } = parted(await makeDatabase())
    const env = { ...settings(temporaryData(t)), TERRANE_SOURCE_PASSWORD: password }
    const args = ['import', '--database', `${url}?schema=other`, '--table', 'roads', '--workspace', 'default']
    const { code, stdout } = await runTerrane(t, args, env)
    assert.equal(code, 0, stdout)
    assert.match(stdout, /roads\s+COMPLETE\s+1\s+0/)
  })

  it('appends on a running server', async (t) => {
    const url = await makeDatabase()
    const server = startTerrane(t, ['serve'], settings(temporaryData(t)))
    const address = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
    for (const mode of ['create', 'append', 'append']) {
      const args = ['import', '--database', url, '--table', 'places', '--mode', mode, '--url', address]
      const { code, stdout } = await runTerrane(t, args, { TERRANE_PASSWORD: 'e2e-password' })
      assert.equal(code, 0, stdout)
    }
    const answer = await fetch(`${address}/ogc/collections/default:places/items?limit=1`, {
      headers: { authorization: `Basic ${Buffer.from('admin:e2e-password').toString('base64')}` },
    })
    assert.equal(((await answer.json()) as { numberMatched: number }).numberMatched, 150)
    server.signal('SIGTERM')
    await server.ended
  })

  it('imports a GeoPackage of the import root', async (t) => {
    const data = temporaryData(t)
    mkdirSync(join(data, 'incoming'), { recursive: true })
    const path = join(data, 'incoming', 'stations.gpkg')
    cpSync('tests/fixtures/geopackage/stations.gpkg', path)
    const { code, stdout } = await runTerrane(t, ['import', '--database', path], settings(data))
    assert.equal(code, 0, stdout)
    assert.match(stdout, /COMPLETE/)
  })

  it('says what is wrong, without the password, and ends with 1', async (t) => {
    const { url } = parted(await makeDatabase())
    const env = { ...settings(temporaryData(t)), TERRANE_SOURCE_PASSWORD: 'quite-wrong' }
    const { code, stdout, stderr } = await runTerrane(t, ['import', '--database', url], env)
    assert.equal(code, 1)
    assert.match(stdout, /INIT_ERROR.*or its password is wrong/)
    assert.ok(!(stdout + stderr).includes('quite-wrong'))
  })

  it('takes the address with its password out of the process list', async (t) => {
    // The command waits for the answer of the database.
    const silent = createServer((socket) => socket.on('error', () => undefined).resume())
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    t.after(() => silent.close())
    const url = `postgres://u:quite-secret@127.0.0.1:${(silent.address() as AddressInfo).port}/x`
    const running = startTerrane(t, ['import', '--database', url], settings(temporaryData(t)))
    let listed = ''
    await until(async () => {
      listed = await readFile(`/proc/${running.pid}/cmdline`, 'latin1')
      return listed.startsWith('terrane import')
    })
    assert.ok(!listed.includes('quite-secret'))
    running.signal('SIGKILL')
    await running.ended
  })
})
