import assert from 'node:assert/strict'
import { it } from 'node:test'
import { eventProblems, writeEventsTable } from './events-table.ts'

const contract = {
  path: 'src/core/events/events.ts',
  text: "/** Facts. */\nexport interface Events {\n  /** It is done. */\n  'work.done': { id: number }\n}",
}
const announcer = { path: 'src/run/run.ts', text: "events.emit('work.done', { id })" }
const listener = { path: 'src/tell/mail.ts', text: "events.on('work.done', ({ id }) => send(id))" }
const page = 'Before\n<!-- events: npm run docs -->\nold\n<!-- end of events -->\nAfter\n'

it('tells what each event means, who announces it and who hears it', () => {
  assert.equal(
    writeEventsTable(page, [contract, announcer, listener]),
    [
      'Before',
      '<!-- events: npm run docs -->',
      '',
      '| event | means | announced by | heard by |',
      '|---|---|---|---|',
      '| `work.done` | It is done | `src/run/` | `src/tell/` |',
      '',
      '<!-- end of events -->',
      'After',
      '',
    ].join('\n'),
  )
})

it('refuses an event that nobody announces, and one that nobody hears', () => {
  assert.deepEqual(eventProblems([contract, announcer, listener]), [])
  assert.deepEqual(eventProblems([contract, announcer]), ['nobody listens to the event work.done'])
  assert.deepEqual(eventProblems([contract, listener]), ['nobody announces the event work.done'])
})
