import assert from 'node:assert/strict'
import { it } from 'node:test'
import { browserName } from './browser-name.ts'

it('names browser and system of a User-Agent, and other programs by their first word', () => {
  const cases = {
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36':
      'Chrome 141, Linux',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0':
      'Edge 141, Windows',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1':
      'Safari 18, iOS',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0':
      'Firefox 140, macOS',
    'curl/8.5.0': 'curl/8.5.0',
  }
  for (const [agent, name] of Object.entries(cases)) assert.equal(browserName(agent), name)
  assert.equal(browserName(undefined), undefined)
})
