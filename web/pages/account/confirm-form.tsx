import type { ComponentChildren } from 'preact'
import { Field } from '../../components/field.tsx'
import { Refused } from '../../components/states.tsx'
import { useActing } from '../../components/use-acting.ts'
import { accountTexts } from '../../messages/account/texts.ts'
import { session } from '../../session/session.ts'

interface Props {
  /** Label of the button. */
  act: string
  isDanger?: boolean
  /** False where the current password is not needed. */
  hasPassword?: boolean
  send(data: FormData): Promise<unknown>
  onClose(): void
  children?: ComponentChildren
}

/** A form of a dialog that is confirmed by the current password. */
export function ConfirmForm(props: Props) {
  const { act: label, isDanger = false, hasPassword = true, send, onClose, children } = props
  const texts = accountTexts.value
  const { isBusy, error, act } = useActing()
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        const data = new FormData(event.currentTarget)
        void act(() => send(data))
      }}
    >
      {children}
      {hasPassword && (
        <>
          <input type="text" name="username" autocomplete="username" hidden value={session.value?.user} />
          <Field
            label={texts.currentPassword}
            name="current"
            type="password"
            autocomplete="current-password"
            required
          />
        </>
      )}
      <Refused error={error.value} />
      <div class="row wrap form-end">
        <button type="button" class="btn" onClick={onClose}>
          {texts.cancel}
        </button>
        <button type="submit" class={`btn ${isDanger ? 'danger' : 'main'}${isBusy.value ? ' busy' : ''}`}>
          {label}
        </button>
      </div>
    </form>
  )
}
