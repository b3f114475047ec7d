import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { columnNames, toTableName } from '../../src/stores/postgis/identifiers.ts'
import type { FilePart, ImporterClient, Json } from '../support/importer-client.ts'
import { listOf, startImporter } from '../support/importer-client.ts'
import { fileDatabase } from '../support/postgis-store.ts'

/** Letters of one to four bytes. */
const letters = ['x', 'ж', '语', '𐐷']
const times = 13

/** Returns a name of that many bytes that begins with the letter and is padded with one-byte letters. */
function nameOf(letter: string, bytes: number): string {
  const width = Buffer.byteLength(letter)
  return letter.repeat(Math.floor(bytes / width)) + 'y'.repeat(bytes % width)
}

const all = letters.flatMap((letter) => Array.from({ length: 16 }, (_, at) => nameOf(letter, 55 + at)))
/** At the edge, below and above. Above, the test that loads nothing has every length. */
const imported = [nameOf('x', 63), nameOf('ж', 64), nameOf('语', 61), nameOf('𐐷', 70)]

const sld = `<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld"><NamedLayer><Name>a</Name><UserStyle>
<FeatureTypeStyle><Rule><PointSymbolizer/></Rule></FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`

/** A point whose attributes differ behind the byte where PostgreSQL cuts, or in case alone. */
function pointNamed(name: string): string {
  const columns = Array.from({ length: times }, (_, at) => `${nameOf('ж', 62)}${at}`)
  const properties = Object.fromEntries(
    [...columns, name, `${name}Z`, `${name}z`].map((column, at) => [column, at]),
  )
  const geometry = { type: 'Point', coordinates: [1, 2] }
  return JSON.stringify({ type: 'Feature', geometry, properties })
}

async function importAll(client: ImporterClient, workspace: string, names: string[]): Promise<Json[]> {
  const made = await client.call('POST', '', {
    import: { targetWorkspace: { workspace: { name: workspace } } },
  })
  const id = Number(made.json['import']?.['id'])
  const files = names.flatMap((name): FilePart[] => [
    { name: `${name}.geojson`, content: pointNamed(name) },
    { name: `${name}.sld`, content: sld },
  ])
  assert.equal((await client.upload(id, files)).status, 201)
  assert.equal((await client.call('POST', `/${id}`)).status, 204)
  const done = await client.call('GET', `/${id}?expand=3`)
  assert.equal(String(done.json['import']?.['state']), 'COMPLETE', done.text)
  return listOf(done.json['import']?.['tasks'])
}

/** Tests names of tables and columns that PostgreSQL would cut. `imports` is the number of imports of each name. */
export function describeLongNames(imports: number): void {
  describe('names that PostgreSQL would cut', () => {
    it('stay different over thirteen tables and columns of each length and width, and end with their number', () => {
      for (const name of all) {
        const tables = Array.from({ length: times }, (_, at) => toTableName(name, String(at)))
        assert.equal(new Set([toTableName(name), ...tables]).size, times + 1, name)
        const columns = columnNames(Array.from({ length: times }, () => name))
        assert.equal(new Set(columns).size, times, name)
        for (const [at, table] of tables.entries()) assert.ok(table.endsWith(String(at)))
        for (const one of [...tables, ...columns]) {
          assert.ok(Buffer.byteLength(one) <= 63 && one.isWellFormed(), one)
        }
      }
    })

    for (const catalogue of ['GeoPackage', 'PostGIS']) {
      it(`are imported ${imports} times into ${catalogue}, each with its layer, columns and style`, async (test) => {
        const env: Record<string, string> =
          catalogue === 'PostGIS' ? { TERRANE_DATABASE_URL: await fileDatabase() } : {}
        const client = await startImporter(test, { env: { ...env, TERRANE_LOADS: '4' } })
        const layers: string[] = []
        for (let at = 0; at < imports; at += 1) {
          for (const task of await importAll(client, 'default', imported))
            layers.push(String(task['layer']?.['name']))
        }
        assert.equal(new Set(layers).size, imports * imported.length)
        const styles = await client.server.app.inject({
          url: '/rest/workspaces/default/styles',
          headers: client.server.admin,
        })
        assert.ok(styles.body.split('"name"').length > layers.length)
      })

      it(`may be those of workspaces in ${catalogue}, also as long as they may be`, async (test) => {
        const env: Record<string, string> =
          catalogue === 'PostGIS' ? { TERRANE_DATABASE_URL: await fileDatabase() } : {}
        const client = await startImporter(test, { env })
        // PostgreSQL alone cuts the names of schemas, by bytes.
        for (const letter of catalogue === 'PostGIS' ? letters : letters.slice(0, 2)) {
          for (const name of [
            nameOf(letter, 60),
            nameOf(letter, 64),
            `${letter.repeat(99)}a`,
            `${letter.repeat(99)}b`,
          ]) {
            const payload = { workspace: { name } }
            const { app, admin } = client.server
            const made = await app.inject({
              method: 'POST',
              url: '/rest/workspaces',
              headers: admin,
              payload,
            })
            assert.equal(made.statusCode, 201, made.body)
            const layer = letter.repeat(60)
            for (const expected of name.length < 99 ? [layer] : [layer, `${layer}0`]) {
              const [task] = await importAll(client, name, [layer])
              assert.equal(String(task?.['layer']?.['name']), expected)
            }
          }
        }
      })
    }
  })
}
