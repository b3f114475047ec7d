import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { vectorTransforms } from '../../../src/transforms/registry.ts'
import { createTestApp } from '../../support/app.ts'
import { makeRoles } from '../../support/monitoring-client.ts'

describe('what an import may be made of', async () => {
  const root = mkdtempSync(join(tmpdir(), 'terrane-choices-'))
  const server = await createTestApp({ env: { TERRANE_IMPORT_ROOTS: root } })
  const roles = await makeRoles(server)
  after(() => server.close())
  after(() => rmSync(root, { recursive: true, force: true }))
  const get = async (url: string, headers: Record<string, string> = server.admin) => {
    const reply = await server.app.inject({ url, headers })
    return { status: reply.statusCode, body: reply.json() }
  }

  it('lists folders below the import roots, without links and without a way out', async () => {
    mkdirSync(join(root, 'b/city.gdb'), { recursive: true })
    writeFileSync(join(root, 'a.csv'), 'a\n1\n')
    writeFileSync(join(root, '.hidden'), '')
    symlinkSync('/etc', join(root, 'c'))
    const roots = await get('/rest/import-folders')
    assert.deepEqual(
      roots.body.entries.map(({ path }: { path: string }) => path),
      [root],
    )
    const inside = await get(`/rest/import-folders?path=${encodeURIComponent(root)}`)
    const shown = inside.body.entries.map((one: Record<string, unknown>) => [
      one['name'],
      one['kind'],
      one['sizeBytes'],
    ])
    assert.deepEqual(shown, [
      ['b', 'folder', undefined],
      ['a.csv', 'file', 4],
    ])
    const deeper = await get(`/rest/import-folders?path=${encodeURIComponent(join(root, 'b'))}`)
    assert.deepEqual(
      deeper.body.entries.map(({ kind }: { kind: string }) => kind),
      ['file'],
    )
    for (const path of ['/etc', join(root, 'c'), join(root, '../..'), 'x\u0000'])
      assert.equal((await get(`/rest/import-folders?path=${encodeURIComponent(path)}`)).status, 400, path)
    const none = await get(`/rest/import-folders?path=${encodeURIComponent(join(root, 'nothing'))}`)
    assert.deepEqual([none.status, none.body.code], [404, 'no-such-folder'])
    assert.equal((await get('/rest/import-folders', roles.user)).status, 403)
    assert.equal((await get('/rest/import-folders', {})).status, 401)
  })

  it('tells every transformation with its parameters, and the classes of columns', async () => {
    const { body } = await get('/rest/transforms')
    const found = new Map(body.transforms.map((one: { type: string }) => [one.type, one]))
    for (const { type } of vectorTransforms) assert.ok(found.has(type), type)
    const remap = found.get('AttributeRemapTransform') as { parameters: unknown }
    assert.deepEqual(remap.parameters, [
      { name: 'field', means: 'field', isNeeded: true },
      { name: 'target', means: 'class', isNeeded: true },
    ])
    const points = found.get('AttributesToPointGeometryTransform') as {
      parameters: { means: string; isNeeded: boolean }[]
    }
    assert.deepEqual(
      points.parameters.map(({ means, isNeeded }) => `${means} ${isNeeded}`),
      ['field true', 'field true', 'new-field false', ...Array.from({ length: 4 }, () => 'boolean false')],
    )
    assert.ok(
      body.classes.some(
        ({ name, type }: Record<string, string>) => name === 'java.lang.Integer' && type === 'int32',
      ),
    )
  })

  it('finds coordinate systems by words', async () => {
    const { body } = await get('/rest/crs?q=conus%20albers&limit=3')
    assert.equal(body.crs[0].srs, 'EPSG:5070')
    assert.ok(body.total >= 1)
    assert.equal((await get('/rest/crs')).status, 400)
    assert.equal((await get('/rest/crs?q=utm', roles.user)).status, 403)
  })

  it('lists the tables of a database to administrators, and keeps nothing', async () => {
    const path = join(root, 'towns.gpkg')
    const database = new DatabaseSync(path)
    database.exec(
      'PRAGMA application_id=1196444487; CREATE TABLE gpkg_contents (table_name TEXT, data_type TEXT, identifier TEXT, description TEXT, last_change TEXT, min_x REAL, min_y REAL, max_x REAL, max_y REAL, srs_id INTEGER); CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT, srs_id INTEGER PRIMARY KEY, organization TEXT, organization_coordsys_id INTEGER, definition TEXT, description TEXT)',
    )
    database.exec(
      "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO people VALUES (1, 'Ada'); INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('people', 'attributes', 'people')",
    )
    database.close()
    const ask = (data: object, headers: Record<string, string> = server.admin) =>
      server.app.inject({ method: 'POST', url: '/rest/database-tables', headers, payload: { data } })
    const reply = await ask({ parameters: { dbtype: 'geopkg', database: path } })
    assert.deepEqual(
      reply.json().tables.map(({ name }: { name: string }) => name),
      ['people'],
      reply.body,
    )
    const away = await ask({
      parameters: {
        dbtype: 'postgis',
        host: '127.0.0.1',
        port: 1,
        database: 'x',
        user: 'x',
        passwd: 'sesame',
      },
    })
    assert.ok(away.statusCode >= 400 && away.statusCode < 600)
    assert.ok(!away.body.includes('sesame'))
    assert.equal(
      (await ask({ parameters: { dbtype: 'geopkg', database: path } }, roles.staff)).statusCode,
      403,
    )
    assert.deepEqual((await get('/rest/imports')).body.imports, [])
  })
})
