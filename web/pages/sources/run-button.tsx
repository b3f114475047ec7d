import { type Call, call } from '../../api/client.ts'
import { Icon } from '../../components/icon.tsx'
import { Refused } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { useActing } from '../../components/use-acting.ts'
import { sourceTexts } from '../../messages/sources/texts.ts'
import { sourcePath } from './types.ts'

export function runCall(name: string): Call {
  return { method: 'POST', path: `${sourcePath(name)}/run`, body: {} }
}

interface RunButtonProps {
  name: string
  text: string
  class: string
  /** True if the name of the source is to be read with the button. */
  isNamed?: boolean
  onStarted(): void
}

/** Starts a run of a source. */
export function RunButton({ name, text, class: kind, isNamed = false, onStarted }: RunButtonProps) {
  const { act, error, isBusy } = useActing()
  const run = async (): Promise<void> => {
    if (!(await act(() => call(runCall(name))))) return
    say(sourceTexts.value.started(name))
    onStarted()
  }
  return (
    <>
      <button type="button" class={`${kind}${isBusy.value ? ' busy' : ''}`} onClick={() => void run()}>
        <Icon name="play" />
        {text}
        {isNamed && <span class="vh"> {name}</span>}
      </button>
      <Refused error={error.value} />
    </>
  )
}
