import { useEffect, useMemo } from 'preact/hooks'
import { call } from '../../../api/client.ts'
import { shownBytes, shownLeft, shownNumber, shownShare } from '../../../components/formats.ts'
import { Failed } from '../../../components/states.tsx'
import { Resource } from '../../../lib/resource.ts'
import { decidingTexts, importTexts } from '../../../messages/import/texts.ts'
import { isBusy, type Progress, type Task, taskPath } from '../types.ts'
import { useTitle } from './use-title.ts'

const pollMs = 500

interface HowFarProps {
  importId: number
  task: Task
  /** It is tried out. */
  isDryRun?: boolean
}

/** Progress of a load or dry run of a task: share, rows, rows per second, remaining time. */
export function HowFar({ importId, task, isDryRun = false }: HowFarProps) {
  const texts = decidingTexts.value
  const path = taskPath(String(importId), task.id)
  const isRunning = isDryRun || isBusy(task.state)
  const progress = useMemo(
    () => new Resource<Progress>((signal) => call({ path: `${path}/progress` }, signal)),
    [path],
  )
  useEffect(() => {
    void progress.load()
    if (!isRunning) return () => progress.stop()
    const timer = setInterval(() => {
      if (!progress.state.peek().isLoading) void progress.load()
    }, pollMs)
    return () => {
      clearInterval(timer)
      progress.stop()
    }
  }, [progress, isRunning])
  const { value, error } = progress.state.value
  const { progress: done = 0, total = -1, rejected = 0, phase = 'waiting' } = value ?? {}
  const isBytes = phase === 'transforming'
  const isKnown = total > 0 && (phase === 'loading' || isBytes)
  const share = isKnown ? shownShare(Math.min(1, done / total)) : undefined
  useTitle(isRunning ? (share ?? texts.phases(phase)) : undefined)
  const tell = isBytes ? shownBytes : shownNumber
  return (
    <div class="stack s2 howfar">
      {error !== undefined && <Failed error={error} onAgain={() => void progress.load()} />}
      <p class="row wrap">
        <strong class="big">{share ?? tell(done)}</strong>
        <span role="status">{texts.phases(phase)}</span>
        <span class="grow" />
        {value?.remainingSeconds !== undefined && (
          <span>{texts.left(shownLeft(value.remainingSeconds))}</span>
        )}
      </p>
      <progress
        value={isKnown ? done : undefined}
        max={isKnown ? total : 1}
        aria-label={importTexts.value.loading}
      />
      <div class="sum">
        <Part label={isKnown ? texts.readOf(tell(total)) : importTexts.value.read} value={tell(done)} />
        <Part label={importTexts.value.rejected} value={shownNumber(rejected)} />
        {value?.rowsPerSecond !== undefined && (
          <Part label={texts.rowsASecond} value={shownNumber(Math.round(value.rowsPerSecond))} />
        )}
      </div>
    </div>
  )
}

function Part({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <b>{value}</b>
      <span>{label}</span>
    </div>
  )
}
