import assert from 'node:assert/strict'
import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { blockAt } from '../../support/document-blocks.ts'
import { runCommands } from '../../support/document-commands.ts'
import { runTerrane, startTerrane, temporaryData } from '../../support/terrane-process.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const password = 'e2e-password'
const places = 'docs/rejected-rows.md > Example'

describe('docs/rejected-rows.md', () => {
  it('has commands that do what they say', async (t) => {
    const folder = temporaryData(t)
    symlinkSync(join(root, 'bin'), join(folder, 'bin'))
    writeFileSync(join(folder, 'trees.csv'), 'id,kind,lat,lon\n1,oak,52,13\n2,ash,north of the oak,13.1\n')
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
    const run = async (place: string): Promise<string> => {
      const commands = `SERVER=${url}/rest\n${blockAt(place).replaceAll('http://127.0.0.1:8080', url)}`
      const output = await runCommands(commands, { ...env, TERRANE_PORT: new URL(url).port }, folder)
      assert.equal(output.code, 0, `${place}: ${output.stdout}${output.stderr}`)
      return output.stdout
    }
    const reported = await run(`${places} > sh 1`)
    assert.match(reported, /rejected\.csv: CSV/)
    assert.match(reported, /COMPLETE: 1 sent, 1 loaded, 0 rejected, 0 refused/)
    assert.match(reported, /The task: 2 rows read, 1 loaded, 0 rejected, 1 corrected and loaded/)
    assert.match(reported, /APPEND +2 [\s\S]*CREATE +1 /)
    writeFileSync(join(folder, 'more.csv'), 'id,kind,lat,lon\n3,elm,52,13\n4,fir,south,13.1\n')
    const cli = (line: string) =>
      runTerrane(t, [...line.split(' '), '--url', url], { TERRANE_PASSWORD: password })
    const loaded = await cli(`import ${join(folder, 'more.csv')} --lat lat --lon lon`)
    assert.equal(loaded.code, 0, loaded.stdout + loaded.stderr)
    assert.match(await run(`${places} > sh 2`), /"rows":\{"sent":1,"loaded":1,"rejected":0,"refused":0\}/)
    const again = await cli(`imports correct 1 0 ${join(folder, 'corrected.csv')}`)
    assert.equal(again.code, 1)
    assert.match(again.stderr, /Task 0 has no rejected rows any more: 1 were corrected and loaded/)
    writeFileSync(join(folder, 'kinds.csv'), 'id,kind,lat,lon\n5,elm,52,13\n6,fir,south,13.1\n')
    writeFileSync(join(folder, 'kind.csv'), '_row,id,kind,lat,lon\n2,6,,51,13.1\n')
    const limit = ['--stop-if', '{"empty":{"kind":{"rows":0}}}']
    const limited = await runTerrane(
      t,
      ['import', join(folder, 'kinds.csv'), '--lat', 'lat', '--lon', 'lon', ...limit, '--url', url],
      { TERRANE_PASSWORD: password },
    )
    assert.equal(limited.code, 0, limited.stdout + limited.stderr)
    const corrected = `imports correct 2 0 ${join(folder, 'kind.csv')}`
    const stopped = await cli(corrected)
    assert.equal(stopped.code, 1)
    assert.match(stopped.stdout, /empty \("kind": limit 0 rows, found 1 row, 100 %\)\. Nothing was changed/)
    const accepted = await cli(`${corrected} --accept empty`)
    assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr)
    assert.match(accepted.stdout, /COMPLETE: 1 sent, 1 loaded, 0 rejected, 0 refused/)
    const wrong = await cli('imports rejects first 0')
    assert.deepEqual([wrong.code, existsSync('first')], [2, false])
    server.signal('SIGTERM')
    await server.ended
  })
})
