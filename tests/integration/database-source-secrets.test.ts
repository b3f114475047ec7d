import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { createDatabaseImport, places, schemaWith } from '../support/database-import.ts'
import { startImporter } from '../support/importer-client.ts'
import { readTree } from '../support/read-tree.ts'

/** Returns the names of the files below a folder that contain a text. */
function filesWith(folder: string, text: string): string[] {
  return readTree(folder).flatMap(({ name, bytes }) => (bytes.includes(text) ? name : []))
}

describe('the password of a database', () => {
  it('stands in no log, file, message, event or kept answer', async (t) => {
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    const parameters = await schemaWith(`${places}; create table broken as select * from places`)
    const wrong = { ...parameters, passwd: 'the-wrong-password' }
    const client = await startImporter(t, { log })
    const headers = { 'idempotency-key': 'once' }
    const first = await createDatabaseImport(client, parameters, { headers })
    const second = await createDatabaseImport(client, parameters, { headers })
    assert.equal(first.text, second.text)
    assert.equal((await createDatabaseImport(client, wrong)).json.import?.state, 'INIT_ERROR')
    await client.call('POST', '/1')
    const event = client.call('GET', '/0/tasks/0/progress')
    await client.call('POST', '/0')
    const answers = [first.text, (await event).text]
    for (const path of ['/0/tasks/0', '/0/tasks?expand=3', '/1/tasks']) {
      answers.push((await client.call('GET', path)).text)
    }
    assert.ok(lines.length > 0)
    for (const secret of [parameters.passwd, wrong.passwd]) {
      assert.deepEqual(filesWith(client.server.dataDir, secret), [])
      assert.deepEqual(
        [...answers, ...lines].filter((text) => text.includes(secret)),
        [],
      )
    }
    assert.match(first.text, /"passwd":"\*{8}"/)
  })
})
