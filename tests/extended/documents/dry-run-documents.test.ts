import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { blockAt } from '../../support/document-blocks.ts'
import { runCommands } from '../../support/document-commands.ts'
import type { Cleanup } from '../../support/terrane-process.ts'
import { startTerrane, temporaryData } from '../../support/terrane-process.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const password = 'e2e-password'
const head = 'id,kind,lat,lon\n'
const monday = `${head}1,oak,52,13\n2,ash,52.1,13.1\n3,elm,52.2,13.2\n`
const tuesday = `${head}1,oak,52,13\n2,lime,52.1,13.1\n4,yew,52.3,13.3\n`

/** A server, and what runs blocks of documents in a folder with the files that they name. */
async function start(t: Cleanup): Promise<(place: string) => Promise<string>> {
  const folder = temporaryData(t)
  symlinkSync(join(root, 'bin'), join(folder, 'bin'))
  for (const name of ['trees.csv', 'trees-monday.csv']) writeFileSync(join(folder, name), monday)
  writeFileSync(join(folder, 'trees-tuesday.csv'), tuesday)
  writeFileSync(join(folder, 'trees-broken.csv'), `${head}1,oak,52,13\n`)
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
  let known = ''
  return async (place) => {
    const commands = known + blockAt(place).replaceAll('http://127.0.0.1:8080', url)
    const output = await runCommands(commands, { ...env, TERRANE_PORT: new URL(url).port }, folder)
    assert.equal(output.code, 0, `${place}: ${output.stdout}${output.stderr}`)
    known = `SERVER=${url}/rest\n`
    return output.stdout
  }
}

describe('docs/dry-run.md', () => {
  it('has commands that do what they say', async (t) => {
    const run = await start(t)
    const document = 'docs/dry-run.md'
    const reported = await run(`${document} > From the command line > sh 1`)
    assert.match(reported, /1 of 1 imported[\s\S]*DRY_RUN[^\n]*1 added, 1 changed, 1 removed, 1 same/)
    assert.match(reported, /Dry run: nothing was changed/)
    const dryRunEnded = await run(`${document} > With the REST interface > sh 1`)
    assert.match(dryRunEnded, /"changes":\{"added":1,"changed":1,"removed":1,"same":1,"matchedBy":\["id"\]\}/)
    assert.match(dryRunEnded, /changed,\d+,2,2,ash,lime/)
    const stopped = await run(`${document} > Limits > sh 1`)
    assert.match(stopped, /"errorCode":"stopped"/)
    assert.match(
      stopped,
      /"rule":"removed","limit":\{"percent":10\},"measured":\{"rows":2,"percent":66\.6667\}/,
    )
    assert.match(stopped, /"state":"COMPLETE"[\s\S]*"accepted":\{"stopped":\["removed"\],"by":"admin"/)
  })
})

describe('docs/upserts.md', () => {
  it('has commands that do what they say', async (t) => {
    const run = await start(t)
    const document = 'docs/upserts.md'
    const reported = await run(`${document} > From the command line > sh 1`)
    assert.equal(reported.match(/1 of 1 imported/g)?.length, 3, reported)
    const changes = await run(`${document} > With the REST interface > sh 1`)
    assert.match(changes, /removed,\d+,4,,yew,/)
    assert.match(changes, /changed,\d+,2,2,lime,ash/)
    assert.match(changes, /added,\d*,,3,,elm/)
  })
})
