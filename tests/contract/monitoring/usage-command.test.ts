import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { adminPassword } from '../../support/app.ts'
import { requestAt, startFed } from '../../support/fed-monitoring.ts'

const main = join(import.meta.dirname, '../../../src/main.ts')

describe('terrane usage report', () => {
  it('prints a table with the total, and writes the other formats to files', async (test) => {
    const fed = await startFed(test)
    const folder = mkdtempSync(join(tmpdir(), 'terrane-usage-'))
    after(() => rmSync(folder, { recursive: true, force: true }))
    await fed.feed({
      events: ['DEU', 'DEU', 'AUT'].map((country) =>
        requestAt('2026-10-05T08:00:00Z', { serviceId: fed.services.app, country, visitor: country }),
      ),
    })
    const url = await fed.server.app.listen({ host: '127.0.0.1', port: 0 })
    const run = (...args: string[]) =>
      promisify(execFile)(process.execPath, [main, 'usage', 'report', '--url', url, ...args], {
        env: { PATH: process.env['PATH'], HOME: folder, TERRANE_PASSWORD: adminPassword },
      })
    const { stdout } = await run('--from', '2026-10', '--by', 'country')
    const lines = stdout.split('\n')
    assert.match(lines[0] ?? '', /^country +requests +people +visits/)
    assert.match(stdout, /\nDEU +2 +2 +1 /)
    assert.match(stdout, /\ntotal +3 +3 +2 /)
    assert.match(stdout, /2026-10 to 2026-10, days of UTC/)
    const file = join(folder, 'report.csv')
    await run('--from', '2026-10', '--by', 'country', '--format', 'csv', '--output', file)
    assert.match(readFileSync(file, 'utf8'), /^key,title,owner,hits[\s\S]*\r\nDEU,,,2,/)
    const json = await run('--from', '2026-10', '--by', 'country', '--format', 'json')
    assert.equal(JSON.parse(json.stdout).report.total.hits, 3)
    await assert.rejects(run('--by', 'moon'), /not one of the available choices/)
    await assert.rejects(run('--format', 'pdf'), /--format is table, json/)
  })
})
