import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runSql, testCluster } from '../support/postgres.ts'
import type { Cleanup, Ended, RunningProcess } from '../support/terrane-process.ts'
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
  const cleanups: (() => void)[] = []
  let data = ''
  let server: RunningProcess
  let address = ''
  /** Runs the command against the server of this file. */
  const run = (t: Cleanup, args: string[], env: Record<string, string> = {}): Promise<Ended> =>
    runTerrane(t, ['import', '--database', ...args, '--url', address], {
      TERRANE_PASSWORD: 'e2e-password',
      ...env,
    })

  before(async () => {
    data = temporaryData({ after: (work) => void cleanups.unshift(work) })
    server = startTerrane({ after: (work) => void cleanups.unshift(work) }, ['serve'], settings(data))
    address = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
  })
  after(async () => {
    server.signal('SIGTERM')
    await server.ended
    for (const cleanup of cleanups) cleanup()
  })

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
    const args = [`${url}?schema=other`, '--table', 'roads', '--workspace', 'default']
    const { code, stdout } = await run(t, args, { TERRANE_SOURCE_PASSWORD: password })
    assert.equal(code, 0, stdout)
    assert.match(stdout, /roads\s+COMPLETE\s+1\s+0/)
  })

  it('appends on a running server', async (t) => {
    const url = await makeDatabase()
    for (const mode of ['create', 'append', 'append']) {
      const { code, stdout } = await run(t, [url, '--table', 'places', '--mode', mode])
      assert.equal(code, 0, stdout)
    }
    const answer = await fetch(`${address}/ogc/collections/default:places/items?limit=1`, {
      headers: { authorization: `Basic ${Buffer.from('admin:e2e-password').toString('base64')}` },
    })
    assert.equal(((await answer.json()) as { numberMatched: number }).numberMatched, 150)
  })

  it('imports a GeoPackage of the import root', async (t) => {
    mkdirSync(join(data, 'incoming'), { recursive: true })
    const path = join(data, 'incoming', 'stations.gpkg')
    cpSync('tests/fixtures/geopackage/stations.gpkg', path)
    const { code, stdout } = await run(t, [path])
    assert.equal(code, 0, stdout)
    assert.match(stdout, /COMPLETE/)
  })

  it('says what is wrong, without the password, and ends with 1', async (t) => {
    const { url } = parted(await makeDatabase())
    const { code, stdout, stderr } = await run(t, [url], { TERRANE_SOURCE_PASSWORD: 'quite-wrong' })
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
