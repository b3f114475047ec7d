import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { blockAt } from '../../support/document-blocks.ts'
import { runCommands } from '../../support/document-commands.ts'
import { runSql, testCluster } from '../../support/postgres.ts'
import type { Cleanup } from '../../support/terrane-process.ts'
import { startTerrane, temporaryData } from '../../support/terrane-process.ts'
import { startWebServer } from '../../support/web-server.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const sample = join(root, 'sample', 'natural-earth')
const fixtures = join(root, 'tests', 'fixtures')
const password = 'e2e-password'
const points = 'name,lat,lon,latitude,longitude\nan oak,52.5,13.4,52.5,13.4\n'

/** Creates a folder like a fresh clone, with files of a user next to it. */
function makeClone(t: Cleanup): string {
  const folder = temporaryData(t)
  symlinkSync(join(root, 'bin'), join(folder, 'bin'))
  for (const ending of ['shp', 'shx', 'dbf', 'prj'])
    copyFileSync(join(sample, `states.${ending}`), join(folder, `roads.${ending}`))
  copyFileSync(join(fixtures, 'geopackage', 'stations.gpkg'), join(folder, 'parcels.gpkg'))
  for (const name of ['survey.csv', 'trees.csv']) writeFileSync(join(folder, name), points)
  copyFileSync(join(fixtures, 'monitoring', 'geonode-dump.json'), join(folder, 'monitoring.json'))
  mkdirSync(join(folder, 'monday'))
  copyFileSync(join(sample, 'countries.geojson'), join(folder, 'monday', 'countries.geojson'))
  return folder
}

/** Runs blocks one after the other; variables that one block sets are known to the next. */
function commandRunner(folder: string, env: Record<string, string>, replacements: [string, string][]) {
  const known: string[] = []
  return async (place: string): Promise<string> => {
    let commands = blockAt(place)
    for (const [from, to] of replacements) commands = commands.replaceAll(from, to)
    const output = await runCommands([...known, commands].join('\n'), env, folder)
    assert.equal(output.code, 0, `${place}: ${output.stdout}${output.stderr}`)
    known.push(...commands.split('\n').filter((line) => /^[A-Z]+=\S+$/.test(line)))
    return output.stdout
  }
}

async function makeDatabase(t: Cleanup): Promise<URL> {
  const cluster = await testCluster()
  const url = await cluster.createDatabase()
  t.after(() => cluster.dropDatabase(url))
  for (const table of ['trees', 'roads'])
    await runSql(
      url,
      `create table ${table} (id int primary key, geom geometry(Point, 4326));
      insert into ${table} values (1, st_setsrid(st_point(13, 52), 4326))`,
    )
  return new URL(url)
}

describe('README.md, docs/getting-started.md and docs/operations.md', () => {
  it('have commands that do what they say, one after the other on a fresh server', async (t) => {
    const folder = makeClone(t)
    const archive = readFileSync(join(fixtures, 'archives', 'utf.zip'))
    const web = await startWebServer(t, (_request, reply) => reply.end(archive))
    const database = await makeDatabase(t)
    const server = startTerrane(t, ['serve'], {
      TERRANE_DATA: join(folder, 'data'),
      TERRANE_PORT: '0',
      TERRANE_ADMIN_PASSWORD: password,
      TERRANE_REMOTE_ALLOW: '127.0.0.0/8',
      TERRANE_LOG: 'warn',
    })
    const url = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
    await server.line(/^Stop it with/)
    const env = {
      PASSWORD: password,
      NEW_PASSWORD: password,
      TERRANE_PASSWORD: password,
      TERRANE_SOURCE_PASSWORD: decodeURIComponent(database.password),
      TERRANE_DATA: join(folder, 'data'),
      TERRANE_PORT: new URL(url).port,
    }
    const place = `${database.username}@${database.host}${database.pathname}`
    const run = commandRunner(folder, env, [
      ['http://127.0.0.1:8080', url],
      ['https://maps.example.org', url],
      ['https://example.org', web],
      ['reader@db.example.org/city', place],
      ['user@host:5432/name', place],
      ['--workspace w --store s', '--workspace city'],
      ['/some/where/monday', 'monday'],
      ['the-printed-password', password],
    ])

    assert.match(
      await run('docs/getting-started.md > First start > sh 1'),
      /"default:countries"[\s\S]*"numberReturned":1/,
    )
    assert.match(
      await run('docs/getting-started.md > First start > sh 2'),
      /"metric":"request\.count"[\s\S]*checks: /,
    )
    assert.match(
      await run('docs/getting-started.md > Import your own data > sh 3'),
      /"state":"COMPLETE"[\s\S]*$/,
    )
    await run('docs/getting-started.md > Import your own data > sh 4')
    assert.match(await run('docs/getting-started.md > Import your own data > sh 5'), /"id":5/)
    assert.match(await run('docs/getting-started.md > See how it is used > sh 1'), /"data"/)

    const exported = await run('docs/getting-started.md > Export tiles > sh 1')
    assert.match(exported, /countries\.pmtiles: [\s\S]*europe\.mbtiles: /)

    const manage = 'docs/getting-started.md > Import your own data > sh 2'
    await runCommands('bin/terrane.mjs workspaces create city', env, folder)
    const user =
      'curl -u admin:$PASSWORD -d \'{"user":{"name":"editor","password":"e2e-password","role":"staff"}}\''
    await runCommands(`${user} -H 'Content-Type: application/json' ${url}/rest/security/users`, env)
    const imported = await run('docs/getting-started.md > Import your own data > sh 1')
    assert.equal(imported.match(/\d of \d imported/g)?.length, 5, imported)
    const firstMinute = await run('README.md > First minute > sh 2')
    assert.match(firstMinute, /1 of 1 imported[\s\S]*"numberReturned":1[\s\S]*<WMS_Capabilities/)
    await runCommands('bin/terrane.mjs users delete editor', env, folder)
    assert.match(await run(manage), /public +true[\s\S]*city:survey[\s\S]*role +staff[\s\S]*trn_/)
    await run('docs/operations.md > Who may read a layer > sh 1')
    assert.match(await run('docs/operations.md > Tables of a database > sh 1'), /1 of 1 imported/)
    await run('docs/operations.md > Watch hosts > sh 1')
    assert.match(await run('docs/operations.md > Load GeoNode dumps > sh 2'), /metricvalue +\d+ +42/)
    server.signal('SIGTERM')
    await server.ended
  })
})

describe('docs/moving-and-backup.md', { concurrency: true }, () => {
  it('restores what was backed up: data, passwords that the key opens, and users', async (t) => {
    const folder = makeClone(t)
    const data = join(folder, 'terrane')
    const database = await makeDatabase(t)
    const env = {
      TERRANE_DATA: data,
      TERRANE_PORT: '0',
      TERRANE_ADMIN_PASSWORD: password,
      TERRANE_SAMPLE: 'off',
      TERRANE_SOURCE_PASSWORD: decodeURIComponent(database.password),
    }
    const store = `postgres://${database.username}@${database.host}${database.pathname}`
    const before = await runCommands(
      `bin/terrane.mjs import roads.shp --store default
       bin/terrane.mjs stores create remote --database ${store}
       bin/terrane.mjs users create eva`,
      { ...env, TERRANE_NEW_PASSWORD: password },
      folder,
    )
    assert.equal(before.code, 0, before.stdout + before.stderr)
    const run = commandRunner(folder, env, [
      ['/var/backups', folder],
      ['/var/lib/terrane', data],
    ])
    await run('docs/moving-and-backup.md > Backing up > sh 1')
    const damage = await runCommands('bin/terrane.mjs workspaces delete default --recurse', env, folder)
    assert.equal(damage.code, 0, damage.stderr)
    const restored = await run('docs/moving-and-backup.md > Restoring > sh 1')
    assert.match(restored, /default:roads/)
    const after = await runCommands(
      `bin/terrane.mjs import roads.shp --mode append
       bin/terrane.mjs import roads.shp --store remote
       bin/terrane.mjs users`,
      env,
      folder,
    )
    assert.equal(after.code, 0, after.stdout + after.stderr)
    assert.match(after.stdout, /COMPLETE +51[\s\S]*COMPLETE +51[\s\S]*eva/)
  })

  it('is right that an older version refuses the catalogue of a newer one', async (t) => {
    const env = { TERRANE_DATA: temporaryData(t), TERRANE_PORT: '0', TERRANE_ADMIN_PASSWORD: password }
    const make = async () => runCommands('bin/terrane.mjs workspaces', env)
    assert.equal((await make()).code, 0)
    const database = new DatabaseSync(join(env.TERRANE_DATA, 'terrane.sqlite'))
    database.exec("insert into kysely_migration values ('9999-of-tomorrow', '2030-01-01')")
    database.close()
    const refused = await make()
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /newer version of Terrane \(9999-of-tomorrow\)/)
  })

  it('restores a catalogue in PostgreSQL into another database', async (t) => {
    const folder = makeClone(t)
    const cluster = await testCluster()
    const old = await cluster.createDatabase()
    const fresh = new URL(old)
    fresh.pathname = `${fresh.pathname}_new`
    t.after(async () => {
      await cluster.dropDatabase(old)
      await cluster.dropDatabase(fresh.href)
    })
    const { hostname, port, username } = fresh
    const env = {
      TERRANE_DATA: join(folder, 'data'),
      TERRANE_PORT: '0',
      TERRANE_ADMIN_PASSWORD: password,
      TERRANE_SAMPLE: 'off',
      TERRANE_DATABASE_URL: old,
      NEW_DATABASE_URL: fresh.href,
      PGHOST: hostname,
      PGPORT: port,
      PGUSER: username,
      PGPASSWORD: decodeURIComponent(fresh.password),
    }
    const made = await runCommands(
      `bin/terrane.mjs import roads.shp --store default
       bin/terrane.mjs workspaces create city
       psql --quiet --command 'create schema city' "$TERRANE_DATABASE_URL"
       bin/terrane.mjs stores create city:old --database "$TERRANE_DATABASE_URL" --parameter schema=city`,
      env,
      folder,
    )
    assert.equal(made.code, 0, made.stdout + made.stderr)
    const document = 'docs/moving-and-backup.md'
    const run = commandRunner(folder, env, [['terrane_new', fresh.pathname.slice(1)]])
    await run(`${document} > Backing up > sh 2`)
    await run(`${document} > Restoring > sh 2`)
    const moved = commandRunner(folder, { ...env, TERRANE_DATABASE_URL: fresh.href }, [])
    assert.match(
      await moved(`${document} > Restoring > sh 3`),
      new RegExp(`database +${fresh.pathname.slice(1)}`),
    )
    await runSql(old, 'drop schema ws_default, city cascade')
    const after = await runCommands(
      `bin/terrane.mjs import roads.shp --mode append
       bin/terrane.mjs import roads.shp --workspace city --store old`,
      { ...env, TERRANE_DATABASE_URL: fresh.href },
      folder,
    )
    assert.equal(after.code, 0, after.stdout + after.stderr)
    assert.match(after.stdout, /COMPLETE +51[\s\S]*COMPLETE +51/)
  })
})
