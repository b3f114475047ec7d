import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { reasonOf } from '../../components/states.tsx'
import { closeDialog } from './row-acts.tsx'

interface FormProps {
  title: string
  /** Label of the button. */
  act: string
  /** Returns the equivalent request for scripts, without secrets. */
  requested(data: FormData): Call
  /** Sends it; throws what the server refuses, which is shown in the form. */
  send(data: FormData): Promise<void>
  children: ComponentChildren
  /** Elements beside the main button. */
  more?: (data: () => FormData) => ComponentChildren
}

/** A form over the page. What was typed stays in it until the server has taken it. */
export function FormDialog({ title, act, requested, send, children, more }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const data = (): FormData => new FormData(form.current ?? undefined)
  const submit = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await send(data())
      closeDialog()
    } catch (refusal) {
      setError(refusal)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={closeDialog}>
      <form
        ref={form}
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy) void submit()
        }}
      >
        {children}
        <div role="alert">
          {error !== undefined && (
            <p class="err">
              <Icon name="bad" />
              <span dir="auto">{reasonOf(error)}</span>
            </p>
          )}
        </div>
        <div class="row wrap form-end">
          <CopyAsCurl call={() => requested(data())} />
          {more?.(data)}
          <button type="submit" class={`btn main${isBusy ? ' busy' : ''}`}>
            {isBusy && <span class="spin" aria-hidden="true" />}
            {act}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
