import { shownNumber } from '../../../components/formats.ts'
import { Icon } from '../../../components/icon.tsx'
import { setQuery } from '../../../lib/router.ts'
import { togetherTexts } from '../../../messages/import/texts.ts'
import { allTasks, isOfView } from '../batch/views.ts'
import type { Import, Task } from '../types.ts'
import { ProblemList } from './problem-list.tsx'
import { problemsOf } from './problems.ts'
import { isOpen } from './rules.ts'
import { RulesForm } from './rules-form.tsx'
import type { CorrectionContext } from './send-all.tsx'
import type { SentChanges } from './sent-changes.ts'

interface TogetherProps {
  work: Import
  /** Those that are listed: rules are for them alone. */
  listed: readonly Task[]
  isRunning: boolean
  sent: SentChanges
  run(): void
  reload(): Promise<void>
}

/** A batch of layers: state, problems, and choices for all of them. */
export function Together({ work, listed, isRunning, sent, run, reload }: TogetherProps) {
  const texts = togetherTexts.value
  const { tasks } = work
  const open = listed.filter(isOpen)
  // Without a problem nothing leads here but the address.
  const stay = (): void => setQuery({ task: allTasks })
  const correcting: CorrectionContext = {
    importId: work.id,
    isBusy: sent.isSending.value || isRunning,
    run: () => {
      stay()
      run()
    },
    send: (changes) => {
      stay()
      void sent.send(changes).then(reload)
    },
  }
  return (
    <>
      <div class="head">
        <h2 class="title">{texts.title(tasks.length)}</h2>
      </div>
      <HowAllAre tasks={tasks} />
      <Sending sent={sent} send={correcting.send} />
      {!isRunning && <ProblemList problems={problemsOf(tasks)} {...correcting} />}
      {!isRunning && open.length > 0 && <RulesForm tasks={open} {...correcting} />}
    </>
  )
}

function HowAllAre({ tasks }: { tasks: readonly Task[] }) {
  const texts = togetherTexts.value
  const countOf = (view: Parameters<typeof isOfView>[1]): number =>
    tasks.filter((task) => isOfView(task, view)).length
  const rows = tasks.reduce((sum, { rowsLoaded = 0 }) => sum + rowsLoaded, 0)
  const done = countOf('done')
  return (
    <div class="stack s2">
      <div class="sum">
        {(['ready', 'decide', 'failed', 'done'] as const).map((view) => (
          <div key={view}>
            <b>{shownNumber(countOf(view))}</b>
            <span>{texts.sums[view]}</span>
          </div>
        ))}
        {rows > 0 && (
          <div>
            <b>{shownNumber(rows)}</b>
            <span>{texts.sums.rows}</span>
          </div>
        )}
      </div>
      {done > 0 && <progress value={done} max={tasks.length} aria-label={texts.progress} />}
    </div>
  )
}

/** Progress of changes to many layers, and refused ones. */
function Sending({ sent, send }: { sent: SentChanges; send: CorrectionContext['send'] }) {
  const texts = togetherTexts.value
  const [done, all, unsent] = [sent.done.value, sent.all.value, sent.unsent.value]
  const refused = sent.refused.value
  const missing = [...refused.flatMap(({ changes }) => changes), ...unsent]
  if (!sent.isSending.value && missing.length === 0)
    return all === 0 ? null : (
      <p class="st ok" role="status">
        <Icon name="ok" />
        {texts.sending(done, all)}
      </p>
    )
  return (
    <section class="panel body stack s2" aria-live="polite">
      <p class="row wrap">
        <b class="grow">{texts.sending(done, all)}</b>
        {sent.isSending.value ? (
          <button type="button" class="btn" onClick={() => sent.stop()}>
            <Icon name="pause" />
            {texts.stop}
          </button>
        ) : (
          <button type="button" class="btn" onClick={() => send(missing)}>
            <Icon name="refresh" />
            {texts.tryAgain}
          </button>
        )}
      </p>
      <progress value={done} max={Math.max(1, all)} aria-label={texts.sending(done, all)} />
      {refused.map(({ reason, changes }) => (
        <div key={reason} class="note bad">
          <Icon name="bad" />
          <div>
            {texts.refused(changes.length)} <span dir="auto">{reason}</span>{' '}
            <bdi class="dim">
              {texts.forExample(
                changes
                  .slice(0, 3)
                  .map(({ name }) => name)
                  .join(', '),
                Math.max(0, changes.length - 3),
              )}
            </bdi>
          </div>
        </div>
      ))}
      {unsent.length > 0 && !sent.isSending.value && <p class="dim">{texts.unsent(unsent.length)}</p>}
    </section>
  )
}
