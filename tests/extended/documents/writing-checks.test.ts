import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { blocksOf, runCommands } from '../../support/document-commands.ts'
import { startTerrane, temporaryData } from '../../support/terrane-process.ts'

const password = 'e2e-password'
const skip = ['curl', 'bash'].some((one) => spawnSync(one, ['--version']).status !== 0)
  ? 'curl or bash is not installed'
  : false

interface Config {
  fields: { field_name: string; current_value: unknown; steps_calculated: string[] | null; scope: object }[]
  emails: string[]
  webhooks: string[]
  notification: { active: boolean; severity: string; grace_period: { seconds: number } }
}

describe('docs/alert-rules.md', { skip }, () => {
  it('has examples that do what it says, one after the other on a fresh server', async (t) => {
    const server = startTerrane(t, ['serve'], {
      TERRANE_DATA: temporaryData(t),
      TERRANE_PORT: '0',
      TERRANE_SAMPLE: 'off',
      TERRANE_ADMIN_PASSWORD: password,
    })
    const url = (await server.line(/^Terrane is ready at /)).split(' ').at(-1) ?? ''
    const env = { PASSWORD: password, TERRANE_PASSWORD: password, TERRANE_PORT: new URL(url).port }
    const blocks = blocksOf('docs/alert-rules.md', 'sh')
    const known: string[] = []
    const run = async (heading: string, index = 0): Promise<string> => {
      const code = blocks.filter((one) => one.heading === heading)[index]?.code
      assert.ok(code, `${heading} has no example`)
      const commands = code.replaceAll('http://127.0.0.1:8080', url)
      const output = await runCommands([...known, commands].join('\n'), env)
      assert.equal(output.code, 0, output.stdout + output.stderr)
      known.push(...commands.split('\n').filter((line) => /^[A-Z]+=\S+$/.test(line)))
      return output.stdout
    }
    const config = async (): Promise<Config> => {
      const answer = await fetch(`${url}/monitoring/api/notifications/config/6/`, {
        headers: { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` },
      })
      assert.equal(answer.status, 200)
      return ((await answer.json()) as { data: Config }).data
    }

    assert.match(await run('Alert rules'), /"name":"Memory is nearly full".*"name":"response\.time"/s)
    assert.match(await run('Create'), /"id":6,"name":"The WMS is ill"/)
    await run('Set thresholds and receivers')
    const first = await config()
    assert.deepEqual(
      first.fields.map(({ field_name: name, current_value: value }) => [name, value]),
      [
        ['response.time.max_value', '2000.0000'],
        ['request.count.min_value', '2.0000'],
        ['request.count.max_timeout', { class: 'datetime.timedelta', seconds: 300 }],
      ],
    )
    assert.deepEqual(first.fields[1]?.steps_calculated, ['0.00', '2.00', '4.00', '6.00', '8.00', '10.00'])
    assert.deepEqual(first.emails, ['admin@example.org', 'duty@example.org'])
    await run('Set thresholds and receivers', 1)
    const second = await config()
    assert.equal(second.notification.grace_period.seconds, 3600)
    assert.equal(second.notification.active, true)
    assert.deepEqual(second.emails, ['duty@example.org'])

    await run('Limit the scope')
    const { fields } = await config()
    const service = { service: 'localhost-mapserver', resource: null, label: null, ows_service: 'OWS:WMS' }
    assert.deepEqual(fields[0]?.scope, service)
    assert.equal(fields[1]?.current_value, null)

    assert.match(
      await run('Receivers'),
      /"webhook_secrets":\{"https:\/\/hooks\.example\.org\/terrane":"\w{64}"\}/,
    )
    assert.deepEqual((await config()).webhooks, ['https://hooks.example.org/terrane'])
    assert.match(await run('Receivers', 1), /checks: (ok|error), collection: /)
    assert.match(await run('Disable and delete'), /"active":false/)
    await assert.rejects(config())
    server.signal('SIGTERM')
    await server.ended
  })
})
