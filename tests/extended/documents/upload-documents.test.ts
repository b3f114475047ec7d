import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { blockAt } from '../../support/document-blocks.ts'
import { runCommands } from '../../support/document-commands.ts'
import { startTerrane, temporaryData } from '../../support/terrane-process.ts'
import { pointsJson } from '../../support/versioned-layers.ts'

const password = 'e2e-password'

describe('docs/resumable-uploads.md', () => {
  it('has commands that do what they say', async (t) => {
    const folder = temporaryData(t)
    const env = {
      TERRANE_DATA: join(folder, 'data'),
      TERRANE_PORT: '0',
      TERRANE_SAMPLE: 'off',
      TERRANE_ADMIN_PASSWORD: password,
      PASSWORD: password,
    }
    const server = startTerrane(t, ['serve'], env)
    const url = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
    writeFileSync(join(folder, 'trees.geojson'), pointsJson([['oak', 1, 2]]))
    const blocks = [1, 2, 3].map((at) => blockAt(`docs/resumable-uploads.md > Resumable uploads > sh ${at}`))
    const commands = blocks.join('\n').replaceAll('http://127.0.0.1:8080', url)
    const output = await runCommands(commands, env, folder)
    assert.equal(output.code, 0, `${output.stdout}${output.stderr}`)
    assert.match(output.stdout, /"state":"PENDING"/)
    const run = await runCommands(
      `curl -s -u admin:$PASSWORD -X POST ${url}/rest/imports/0 && curl -s -u admin:$PASSWORD ${url}/rest/imports/0`,
      env,
      folder,
    )
    assert.equal(run.code, 0, run.stderr)
    assert.match(run.stdout, /"state":"COMPLETE"/)
  })
})
