import { Icon } from '../../components/icon.tsx'
import { setQuery } from '../../lib/router.ts'
import { manageTexts } from '../../messages/manage/texts.ts'

/** Edit and delete actions of a row; `id` identifies it in the address. */
export function RowActs({ id, name }: { id: string; name: string }) {
  const texts = manageTexts.value
  return (
    <>
      <button type="button" class="btn sm" onClick={() => setQuery({ change: id }, { isReplaced: false })}>
        {texts.change}
        <span class="vh"> {name}</span>
      </button>
      <button
        type="button"
        class="btn sm ic danger"
        aria-label={texts.removing.act(name)}
        onClick={() => setQuery({ delete: id }, { isReplaced: false })}
      >
        <Icon name="trash" />
      </button>
    </>
  )
}

/** Closes any dialog in the address. */
export function closeDialog(): void {
  setQuery({ new: undefined, change: undefined, delete: undefined, access: undefined, tables: undefined })
}
