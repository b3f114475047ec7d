import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { blockAt } from '../../support/document-blocks.ts'
import { runCommands } from '../../support/document-commands.ts'
import { startTerrane, temporaryData } from '../../support/terrane-process.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const password = 'e2e-password'

const geojson = (names: string[]): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: names.map((kind, at) => ({
      type: 'Feature',
      properties: { kind },
      geometry: { type: 'Point', coordinates: [at, at] },
    })),
  })

describe('docs/versions.md', () => {
  it('has commands that do what they say', async (t) => {
    const folder = temporaryData(t)
    symlinkSync(join(root, 'bin'), join(folder, 'bin'))
    const env = {
      TERRANE_DATA: join(folder, 'data'),
      TERRANE_PORT: '0',
      TERRANE_SAMPLE: 'off',
      TERRANE_ADMIN_PASSWORD: password,
      TERRANE_PASSWORD: password,
      PASSWORD: password,
    }
    const server = startTerrane(t, ['serve'], env)
    const url = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
    const run = async (commands: string): Promise<string> => {
      const text = commands.replaceAll('http://127.0.0.1:8080', url)
      const output = await runCommands(text, { ...env, TERRANE_PORT: new URL(url).port }, folder)
      assert.equal(output.code, 0, `${output.stdout}${output.stderr}`)
      return output.stdout
    }
    for (const [at, names] of [['oak'], ['oak', 'ash']].entries()) {
      writeFileSync(join(folder, 'trees.geojson'), geojson(names))
      await run(
        `bin/terrane.mjs import trees.geojson --store default --mode ${at === 0 ? 'create' : 'replace'} --url ${url}`,
      )
    }
    const listed = await run(blockAt('docs/versions.md > List versions > sh 1'))
    assert.match(listed, /"version":2[\s\S]*"version":1[^}]*"restorable":true/)
    assert.match(listed, /\n1 .*import .*CREATE +1 .*yes/)
    const changed = await run(blockAt('docs/versions.md > Compare two versions > sh 1'))
    assert.match(changed, /"changes":\{"added":1,"changed":null,"removed":0,"same":1/)
    assert.match(changed, /ash/)
    const back = await run(blockAt('docs/versions.md > Restore a version > sh 1'))
    assert.match(back, /"version":3[^}]*"cause":"restore"[^}]*"rows":1/)
    assert.match(back, /Layer default:trees is what it was at version 2: that is version 4 now/)
  })
})
