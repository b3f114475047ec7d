import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { blockAt } from '../../support/document-blocks.ts'
import { runCommands } from '../../support/document-commands.ts'
import { startTerrane, temporaryData } from '../../support/terrane-process.ts'
import { pointsJson } from '../../support/versioned-layers.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const password = 'e2e-password'
const hasGdal = spawnSync('ogrinfo', ['--version']).status === 0

describe('docs/editing.md', () => {
  it('has commands that do what they say, and GDAL reads what they make', async (t) => {
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
      const output = await runCommands(commands.replaceAll('http://127.0.0.1:8080', url), env, folder)
      assert.equal(output.code, 0, `${output.stdout}${output.stderr}`)
      return output.stdout
    }
    const kinds = (): string[] => {
      const address = `OAPIF:${url}/ogc/collections/default:trees`
      const { stdout, stderr } = spawnSync('ogrinfo', ['-ro', '-al', '-geom=NO', address], {
        encoding: 'utf8',
        env: { ...process.env, GDAL_HTTP_USERPWD: `admin:${password}` },
      })
      return [...`${stdout}${stderr}`.matchAll(/kind \(String\) = (\w+)/g)].map(([, kind]) => String(kind))
    }
    writeFileSync(
      join(folder, 'trees.geojson'),
      pointsJson([
        ['oak', 13, 52],
        ['ash', 13.1, 52.1],
      ]).replaceAll('"name"', '"kind"'),
    )
    await run(`bin/terrane.mjs import trees.geojson --store default --url ${url}`)
    const block = blockAt('docs/editing.md > Example > sh 1')
    const at = block.lastIndexOf('curl ')
    const edited = await run(block.slice(0, at))
    assert.match(edited, /"kind":"elm"/)
    if (hasGdal) assert.deepEqual(kinds(), ['lime', 'elm'])
    const back = await run(`FEATURES=${url}\n${block.slice(at)}`)
    assert.match(back, /"version":5[^}]*"cause":"restore"/)
    if (hasGdal) assert.deepEqual(kinds(), ['oak', 'ash'])
  })
})
