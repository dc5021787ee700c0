// Keeps the language of examples, copies code, and searches while somebody types.
// Every page works without it.
const tabs = [...document.querySelectorAll('.tabs input[data-language]')]
const choose = (language) => {
  for (const tab of tabs) if (tab.dataset.language === language) tab.checked = true
}
for (const tab of tabs)
  tab.addEventListener('change', () => {
    choose(tab.dataset.language)
    localStorage.setItem('language', tab.dataset.language)
  })
choose(localStorage.getItem('language'))

if (navigator.clipboard)
  for (const code of document.querySelectorAll('pre > code')) {
    const button = document.createElement('button')
    button.className = 'copy'
    button.textContent = 'Copy'
    const copied = () => {
      button.textContent = 'Copied'
      setTimeout(() => (button.textContent = 'Copy'), 2000)
    }
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(code.textContent).then(copied, () => {})
    })
    code.parentElement.append(button)
  }

const form = document.querySelector('.search')
const field = form.querySelector('input')
const panel = document.createElement('div')
panel.className = 'found'
panel.hidden = true
form.append(panel)
let latest = 0
const search = async () => {
  const query = field.value.trim()
  const turn = ++latest
  if (query === '') return void (panel.hidden = true)
  const answer = await fetch(`/docs?q=${encodeURIComponent(query)}`)
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  if (turn !== latest) return
  panel.replaceChildren(...page.querySelectorAll('main > [role=status], main > .hits'))
  panel.hidden = false
}
let typing
field.addEventListener('input', () => {
  clearTimeout(typing)
  // Without an answer the button still searches.
  typing = setTimeout(() => {
    search().catch(() => {})
  }, 150)
})
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') panel.hidden = true
  const isTyping = event.target.closest('input, textarea, select')
  if (event.key !== '/' || isTyping) return
  event.preventDefault()
  field.focus()
})
document.addEventListener('click', (event) => {
  if (!form.contains(event.target) || event.target.closest('.found a')) panel.hidden = true
})
