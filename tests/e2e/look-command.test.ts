import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startServer } from '../support/server.ts'
import { runTerrane, temporaryData } from '../support/terrane-process.ts'

describe('terrane look', () => {
  it('prints columns and first rows, and whether they are exact; a mistake is told', async (test) => {
    const data = temporaryData(test)
    const server = await startServer(test, data)
    writeFileSync(join(data, 'incoming', 'trees.csv'), 'id,kind\n1,oak\n2,ash\n3,oak\n4,\n')
    const selected = { import: { data: { type: 'file', file: 'trees.csv' } } }
    assert.equal((await server.call('POST', '/rest/imports', selected)).status, 201)
    const env = { TERRANE_DATA: data, TERRANE_PASSWORD: 'server-test-password' }
    const look = (...words: string[]) => runTerrane(test, ['look', ...words, '--url', server.url], env)
    const looked = await look('0', '--rows', '2')
    assert.equal(looked.code, 0, looked.stderr)
    const expected = [
      '4 rows can be loaded, 0 cannot',
      '',
      'column  type   empty  distinct  smallest  largest  frequent',
      '------  -----  -----  --------  --------  -------  -------------------',
      'id      int32      0         4  1         4        1 (1), 2 (1), 3 (1)',
      'kind    text       1         2  ash       oak      oak (2), ash (1)',
      '',
      'row  id  kind  geometry',
      '---  --  ----  --------',
      '  1  1   oak',
      '  2  2   ash',
      '',
    ]
    assert.equal(looked.stdout, expected.join('\n'))
    const asJson = JSON.parse((await look('0', '0', '--json')).stdout)
    assert.equal(asJson.first.features.length, 4)
    assert.equal((await look()).code, 2)
    assert.match((await look('7')).stderr, /7/)
  })
})
