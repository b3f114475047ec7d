import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Refusal } from '../api/client.ts'
import { Field } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { reasonOf } from '../components/states.tsx'
import { messages } from '../messages/messages.ts'
import { session, signIn } from './session.ts'

/** User and password; `onDone` follows a login that was accepted. */
export function SignInForm({ onDone }: { onDone(): void }) {
  const texts = messages.value.signIn
  const id = useId()
  const error = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const data = new FormData(form)
    isBusy.value = true
    error.value = undefined
    try {
      const code = data.get('code')
      await signIn(
        String(data.get('user')),
        String(data.get('password')),
        code === null ? undefined : String(code),
      )
      onDone()
    } catch (refusal) {
      error.value = refusal
    } finally {
      isBusy.value = false
    }
  }
  const isWrong = error.value !== undefined
  const reason = error.value instanceof Refusal ? error.value.code : undefined
  const needsCode = reason === 'code-needed' || reason === 'wrong-code'
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void submit(event.currentTarget)
      }}
    >
      <div class="field">
        <label for={`${id}u`}>{texts.user}</label>
        <input
          class="in"
          id={`${id}u`}
          name="user"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          required
          defaultValue={session.peek()?.user ?? ''}
        />
      </div>
      <div class="field">
        <label for={`${id}p`}>{texts.password}</label>
        <input
          class="in"
          id={`${id}p`}
          name="password"
          type="password"
          autocomplete="current-password"
          required
          aria-invalid={isWrong}
          aria-describedby={`${id}e`}
        />
        <div id={`${id}e`} role="alert">
          {isWrong && (
            <p class="err">
              <Icon name="bad" />
              <span dir="auto">{reasonOf(error.value)}</span>
            </p>
          )}
        </div>
      </div>
      {needsCode && (
        <Field label={texts.code} hint={texts.codeHint} name="code" autocomplete="one-time-code" required />
      )}
      <button type="submit" class={`btn main big${isBusy.value ? ' busy' : ''}`}>
        {isBusy.value && <span class="spin" aria-hidden="true" />}
        {texts.act}
      </button>
    </form>
  )
}
