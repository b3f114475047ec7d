import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { createDatabaseImport, importState } from '../../support/database-import.ts'
import { listOf, readItems, startImporter } from '../../support/importer-client.ts'
import type { MariadbServer } from '../../support/mariadb.ts'
import { startMariadb } from '../../support/mariadb.ts'

const statements = `create table points (id int auto_increment primary key, name varchar(20), big bigint, day date,
    g point not null);
  insert into points (name, big, day, g) values ('ä', 9007199254740993, '2024-02-29', ST_GeomFromText('POINT(1 2)')),
    ('b', null, null, ST_GeomFromText('POINT(3 4)'));
  create table plain (code varchar(5) primary key, n int); insert into plain values ('x', 1)`

/** The argument lists of all processes that hold a text. */
function argumentsWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => {
      try {
        const line = readFileSync(`/proc/${id}/cmdline`, 'utf8')
        return line.includes(text) ? [line] : []
      } catch {
        return []
      }
    })
}

describe('imports of a MySQL database', () => {
  let server: MariadbServer
  before(async () => {
    server = await startMariadb(statements)
  })
  after(() => server.stop())

  it('load its tables with their keys, and put the password into no argument list', async (t) => {
    const client = await startImporter(t)
    let seen: string[] = []
    const watch = setInterval(() => {
      seen = [...seen, ...argumentsWith(server.parameters.passwd)]
    }, 5)
    const { json, text } = await createDatabaseImport(client, server.parameters)
    assert.deepEqual(json.import?.data?.tables, ['plain', 'points'], text)
    assert.equal(json.import?.data?.format, 'MySQL')
    for (const id of [0, 1]) await client.call('PUT', `/0/tasks/${id}/layer`, { layer: { srs: 'EPSG:4326' } })
    await client.call('POST', '/0')
    clearInterval(watch)
    assert.deepEqual(seen, [])
    assert.equal(String((await importState(client)).state), 'COMPLETE')
    const { features } = await readItems(client, 'default:points')
    assert.deepEqual(
      listOf(features).map(({ properties, geometry }) => [
        properties?.id,
        properties?.name,
        geometry?.coordinates,
      ]),
      [
        [1, 'ä', [1, 2]],
        [2, 'b', [3, 4]],
      ],
    )
  })

  it('say what is wrong, without the password', async (t) => {
    const client = await startImporter(t)
    const wrong = { ...server.parameters, passwd: 'quite-wrong' }
    const { json, text } = await createDatabaseImport(client, wrong)
    assert.equal(json.import?.state, 'INIT_ERROR')
    assert.match(String(json.import?.message), /MySQL database "geo" at 127.0.0.1 port \d+ cannot be read/)
    assert.ok(!text.includes('quite-wrong'))
    const missing = await createDatabaseImport(client, server.parameters, { tables: ['absent'] })
    assert.match(String(missing.json.import?.message), /no table "absent": there are plain, points/)
  })

  it('are refused for names that would change the connection', async (t) => {
    const client = await startImporter(t)
    const parameters = { ...server.parameters, database: 'geo,password=x' }
    assert.equal((await createDatabaseImport(client, parameters)).status, 400)
  })
})
