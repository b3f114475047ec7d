import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startVictim } from '../../support/hostile.ts'
import type { FilePart } from '../../support/importer-client.ts'
import { temporaryData } from '../../support/terrane-process.ts'

const point = '{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"a":1}}'
const json = 'application/json'

describe('uploads in large numbers', () => {
  it('takes as many files in a form as tasks in an import, and says so where there are more', async (test) => {
    const victim = await startVictim(test, temporaryData(test))
    const files = (count: number): FilePart[] =>
      Array.from({ length: count }, (_, at) => ({ name: `${at}.txt`, content: '' }))
    const id = await victim.newImport()
    const refused = await victim.upload(id, files(10_001))
    assert.equal(refused.status, 413, refused.text)
    assert.match(refused.text, /at most 10000 files.*send an archive/)
    assert.deepEqual(victim.leftovers(), [])
    await victim.assertLives()
  })

  it('takes many uploads to one import at the same time, each with its own tasks', async (test) => {
    const victim = await startVictim(test, temporaryData(test))
    const id = await victim.newImport()
    const names = Array.from({ length: 40 }, (_, at) => `town${at}.geojson`)
    const replies = await Promise.all(names.map((name) => victim.upload(id, [{ name, content: point }])))
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201])
    const { tasks } = (await victim.call('GET', `/${id}?expand=3`)).json.import as unknown as {
      tasks: { data: { file: string } }[]
    }
    assert.deepEqual(tasks.map(({ data }) => data.file).sort(), names.sort())
  })
})

describe('a file name that is meant to harm', () => {
  it('stays in the folder of its upload or is refused, and gets into no log line or header', async (test) => {
    const victim = await startVictim(test, temporaryData(test), { TERRANE_LOG: 'debug' })
    const id = await victim.newImport()
    const put = async (name: string): Promise<string> => {
      const reply = await victim.send('PUT', `/rest/imports/${id}/tasks/${name}`, point, json)
      const { task } = reply.json as unknown as { task?: { layer?: { name: string } } }
      return `${reply.status} ${task?.layer?.name ?? ''}`.trim()
    }
    const answers: Record<string, string> = {
      '..%2f..%2fescape.geojson': '201 escape',
      '..%5c..%5cescape2.geojson': '201 escape2',
      '%2fetc%2fpasswd.geojson': '201 passwd',
      '%252e%252e%252fx.geojson': '201 a__2e_2e_2fx',
      '%00.geojson': '400',
      'a.geojson%00.csv': '400',
      'a%0d%0aSet-Cookie:x.geojson': '400',
      '%ff%fe.geojson': '400',
      'con.geojson': '400',
      [`${'x'.repeat(247)}.geojson`]: `201 ${'x'.repeat(247)}`,
      [`${'x'.repeat(248)}.geojson`]: '400',
      '%e2%80%aebla.geojson': '201 a__bla',
      '%f0%9f%98%80.geojson': '201 a__',
      '%3cimg%20src=x%20onerror=alert(1)%3e.geojson': '201 a__img_src_x_onerror_alert_1__',
      "'%3b%20drop%20table%20imports%3b--.geojson": '201 a____drop_table_imports___',
      '%c3%a9.geojson': '201 é',
      'e%cc%81.geojson': '201 é',
    }
    for (const [name, expected] of Object.entries(answers)) assert.equal(await put(name), expected, name)
    for (const path of ['escape.geojson', 'escape2.geojson', 'uploads/escape.geojson'])
      assert.ok(!existsSync(join(victim.dataDir, path)), path)
    assert.ok(!existsSync('/etc/passwd.geojson'))
    assert.equal((await victim.call('POST', `/${id}`)).status, 204)
    const done = (await victim.call('GET', `/${id}`)).json.import
    assert.equal(String(done?.state), 'COMPLETE', JSON.stringify(done))
    for (const line of (await victim.log()).split('\n'))
      if (line !== '') assert.doesNotThrow(() => JSON.parse(line), line)
  })

  it('reaches nothing outside as the id of a file, for reading or deleting', async (test) => {
    const victim = await startVictim(test, temporaryData(test))
    const id = await victim.newImport()
    await victim.upload(id, [{ name: 'a.geojson', content: point }])
    const ids = [
      '..%2f..%2fterrane.sqlite',
      '..%2f..%2f..%2fterrane.sqlite',
      '..%2f..%2fsecret.key',
      '0%2f..%2f..%2f..%2fsecret.key',
      '%2fetc%2fpasswd',
      '%00',
      '%252e%252e%252fsecret.key',
    ]
    for (const fileId of ids)
      for (const method of ['GET', 'DELETE'])
        for (const base of ['data/files', 'tasks/0/data/files']) {
          const reply = await victim.send(method, `/rest/imports/${id}/${base}/${fileId}`)
          assert.ok([400, 404].includes(reply.status), `${method} ${base}/${fileId}: ${reply.text}`)
        }
    for (const name of ['terrane.sqlite', 'secret.key']) assert.ok(existsSync(join(victim.dataDir, name)))
    await victim.assertLives()
  })
})
