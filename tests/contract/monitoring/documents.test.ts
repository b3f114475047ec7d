import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { signatureOf } from '../../../src/monitoring/notify/channels/webhook/post-webhook.ts'
import { blocksOf } from '../../support/document-commands.ts'
import { temporaryData } from '../../support/terrane-process.ts'

interface Verification {
  isGenuine(secret: string, header: string, body: string | Buffer, nowSeconds?: number): boolean
}

describe('docs/operations.md', () => {
  it('shows how a webhook is verified: genuine ones pass, others do not', async (t) => {
    const [block] = blocksOf('docs/operations.md', 'js').filter(
      ({ heading }) => heading === 'Mail and webhooks',
    )
    const file = join(temporaryData(t), 'verify.mjs')
    writeFileSync(file, block?.code ?? '')
    const { isGenuine }: Verification = await import(pathToFileURL(file).href)
    const body = '{"event":"alert","text":"Größe"}'
    const header = signatureOf('a secret of ours', 1_795_262_460, body)
    const now = 1_795_262_465
    assert.equal(isGenuine('a secret of ours', header, Buffer.from(body), now), true)
    assert.equal(isGenuine('another secret', header, body, now), false)
    assert.equal(isGenuine('a secret of ours', header, `${body} `, now), false)
    assert.equal(isGenuine('a secret of ours', header, body, now + 3600), false)
    assert.equal(isGenuine('a secret of ours', header.replace('t=17', 't=18'), body, now), false)
    for (const wrong of ['', 'v1=x', 't=1,v1=zz', `${header},v1=0`])
      assert.equal(isGenuine('a secret of ours', wrong, body, now), false)
  })
})
