import { type Call, call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Icon } from '../../components/icon.tsx'
import { Refused } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { useActing } from '../../components/use-acting.ts'
import { addressOf } from '../../lib/base.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { sourceTexts } from '../../messages/sources/texts.ts'
import { BrokenLimits } from '../import/review/stopped.tsx'
import { type Source, sourcePath } from './types.ts'

/** The rule for a layer that others have changed since the last run. */
const editedRule = 'edited'

interface StoppedRunProps {
  source: Source
  reload(): void
}

/** The limits that stopped the last run, and a button that accepts it. */
export function StoppedRun({ source: { name, state, lastRun }, reload }: StoppedRunProps) {
  const texts = sourceTexts.value
  const { act, error, isBusy } = useActing()
  if (state !== 'stopped' || lastRun?.outcome !== 'stopped') return null
  const { id, stopped = [], import: made } = lastRun
  const isEdited = stopped.some(({ rule }) => rule === editedRule)
  const accept: Call = {
    method: 'POST',
    path: `${sourcePath(name)}/runs/${id}/accept`,
    body: { stopped: [...new Set(stopped.map(({ rule }) => rule))] },
  }
  const send = async (): Promise<void> => {
    if (await act(() => call(accept))) say(isEdited ? texts.overwriting : texts.accepted)
    reload()
  }
  const title = isEdited ? texts.editedTitle : texts.stoppedTitle
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <CopyAsCurl call={accept} />
      </header>
      <div class="body stack s2">
        <BrokenLimits stopped={stopped.filter(({ rule }) => rule !== editedRule)} />
        <Edits stopped={stopped} />
        <p>{isEdited ? texts.editedHint : texts.stoppedHint}</p>
        <Refused error={error.value} />
        <p class="row wrap">
          <button type="button" class="btn danger" disabled={isBusy.value} onClick={() => void send()}>
            <Icon name="check" />
            {isEdited ? texts.overwrite : texts.accept}
          </button>
          {made !== null && (
            <a class="btn" href={addressOf(`/app/imports/${made.id}`)}>
              {texts.importOf(made.id)}
            </a>
          )}
        </p>
      </div>
    </section>
  )
}

function Edits({ stopped }: { stopped: NonNullable<NonNullable<Source['lastRun']>['stopped']> }) {
  const edits = stopped.flatMap(({ rule, measured }) =>
    rule === editedRule && Array.isArray(measured)
      ? (measured as { version: number; cause: string; user?: string }[])
      : [],
  )
  if (edits.length === 0) return null
  return (
    <ul class="stack s2">
      {edits.slice(0, 20).map(({ version, cause, user }) => (
        <li key={version} class="st warn">
          <Icon name="pencil" />
          <span dir="auto">
            {sourceTexts.value.edits(version, layerTexts.value.causes(cause), user ?? '')}
          </span>
        </li>
      ))}
    </ul>
  )
}
