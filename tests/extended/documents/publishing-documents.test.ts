import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { blockAt } from '../../support/document-blocks.ts'
import { runCommands } from '../../support/document-commands.ts'
import { runSql, testCluster } from '../../support/postgres.ts'
import { startTerrane, temporaryData } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const password = 'e2e-password'

describe('docs/publishing-tables.md', () => {
  it('has commands that publish tables of a database', async (t) => {
    const cluster = await testCluster()
    const database = new URL(await cluster.createDatabase())
    t.after(async () => {
      await cluster.dropDatabase(database.href)
      await cluster.stop()
    })
    const create = (table: string): string =>
      `create table city.${table} (id int primary key, name text, g geometry(LineString, 25832));`
    await runSql(
      database.href,
      `create schema city; ${['roads', 'rivers', 'lakes', 'lakes_old', 'lanes'].map(create).join('')}`,
    )
    const folder = temporaryData(t)
    symlinkSync(join(root, 'bin'), join(folder, 'bin'))
    const env = {
      TERRANE_DATA: join(folder, 'data'),
      TERRANE_PORT: '0',
      TERRANE_SAMPLE: 'off',
      TERRANE_ADMIN_PASSWORD: password,
      TERRANE_PASSWORD: password,
      TERRANE_SOURCE_PASSWORD: decodeURIComponent(database.password),
      PASSWORD: password,
    }
    const server = startTerrane(t, ['serve'], env)
    const url = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
    const run = async (place: string): Promise<string> => {
      const commands = blockAt(`docs/publishing-tables.md > ${place}`)
        .replaceAll('http://127.0.0.1:8080', url)
        .replace('reader@db.example.org/gis', `${database.username}@${database.host}${database.pathname}`)
        .replaceAll(/^bin.*$/gm, `$& --url ${url}`)
      const output = await runCommands(commands, env, folder)
      assert.equal(output.code, 0, `${output.stdout}${output.stderr}`)
      return output.stdout
    }
    const layers = async (): Promise<string[]> => {
      const answer = await fetch(`${url}/rest/workspaces/default/datastores/city/featuretypes`, {
        headers: { authorization: `Basic ${btoa(`admin:${password}`)}` },
      })
      const { featureTypes } = (await answer.json()) as { featureTypes: { featureType: { name: string }[] } }
      return featureTypes.featureType.map(({ name }) => name)
    }
    const first = await run('Publish one table > sh 1')
    assert.match(first, /lakes_old +table +LineString/)
    assert.match(first, /Layer default:roads is published/)
    assert.match(await run('Publish one table > sh 2'), /"name":"rivers"/)
    await run('Publish many > sh 1')
    assert.deepEqual(await layers(), ['lakes', 'lanes', 'rivers', 'roads'])
    await runSql(database.href, create('roads_new'))
    await until(async () => (await layers()).includes('city_roads_new'))
  })

  it('has commands that publish rasters of a folder', async (t) => {
    const folder = temporaryData(t)
    symlinkSync(join(root, 'bin'), join(folder, 'bin'))
    const photo = join(root, 'tests', 'fixtures', 'raster', 'RGB.byte.tif')
    for (const path of [
      'aerial/2024/north.tif',
      'aerial/dem.tif',
      'aerial/old/x.tif',
      'dop/dop_20240131.tif',
    ]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      copyFileSync(photo, join(folder, path))
    }
    const env = {
      TERRANE_DATA: join(folder, 'data'),
      TERRANE_PORT: '0',
      TERRANE_SAMPLE: 'off',
      TERRANE_IMPORT_ROOTS: folder,
      TERRANE_ADMIN_PASSWORD: password,
      TERRANE_PASSWORD: password,
      PASSWORD: password,
    }
    const server = startTerrane(t, ['serve'], env)
    const url = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
    const run = async (place: string): Promise<string> => {
      const commands = blockAt(`docs/publishing-tables.md > ${place}`)
        .replaceAll('http://127.0.0.1:8080', url)
        .replaceAll('/data/', `${folder}/`)
        .replaceAll(/^bin.*$/gm, `$& --url ${url}`)
      const output = await runCommands(commands, env, folder)
      assert.equal(output.code, 0, `${output.stdout}${output.stderr}`)
      return output.stdout
    }
    const first = await run('Rasters > sh 1')
    assert.match(first, /2024\/north\.tif +GeoTIFF +791 x 718/)
    assert.match(first, /Layer default:dem is published/)
    assert.match(await run('Rasters > sh 2'), /"title":"Elevation"/)
    assert.match(await run('Mosaics > sh 1'), /Layer default:dop is published/)
  })
})
