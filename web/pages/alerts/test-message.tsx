import { useSignal } from '@preact/signals'
import { type Call, call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { reasonOf } from '../../components/states.tsx'
import { alertTexts } from '../../messages/alerts/texts.ts'
import type { TestResult } from './types.ts'
import { configPath } from './types.ts'

type Outcome = { results: TestResult[] } | { error: unknown }

/** Sends the receivers that are saved a test message, and shows what became of each. */
export function TestMessage({ id }: { id: number }) {
  const texts = alertTexts.value
  const isBusy = useSignal(false)
  const outcome = useSignal<Outcome | undefined>(undefined)
  const requested: Call = { method: 'POST', path: `${configPath(id)}/test` }
  const send = async (): Promise<void> => {
    isBusy.value = true
    try {
      outcome.value = { results: (await call<{ data: { results: TestResult[] } }>(requested)).data.results }
    } catch (error) {
      outcome.value = { error }
    }
    isBusy.value = false
  }
  return (
    <>
      <button type="button" class="btn" disabled={isBusy.value} onClick={() => void send()}>
        {isBusy.value ? <span class="spin" /> : <Icon name="send" />}
        {texts.test}
      </button>
      {outcome.value !== undefined && (
        <Dialog
          title={texts.testDone}
          onClose={() => {
            outcome.value = undefined
          }}
        >
          <Reported outcome={outcome.value} />
          <CopyAsCurl call={requested} />
        </Dialog>
      )}
    </>
  )
}

function Reported({ outcome }: { outcome: Outcome }) {
  const texts = alertTexts.value
  if ('error' in outcome)
    return (
      <p class="err" role="alert">
        <span dir="auto">{reasonOf(outcome.error)}</span>
      </p>
    )
  const { results } = outcome
  if (results.length === 0) return <p>{texts.testNobody}</p>
  return (
    <>
      <p>{texts.tested(results.filter(({ sent }) => sent).length, results.length)}</p>
      <ul class="tested">
        {results.slice(0, 50).map(({ receiver, sent, error }) => (
          <li key={receiver}>
            <Icon name={sent ? 'ok' : 'bad'} />
            <span dir="auto">
              {receiver}: {error ?? texts.arrived}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
