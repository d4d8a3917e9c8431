const RUSSIAN =
  "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из ему теперь когда даже ну вдруг ли если уже или ни быть был него до вас нибудь опять уж вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под будет ж тогда кто этот того потому этого какой совсем ним здесь этом один почти мой тем чтобы нее сейчас были куда зачем всех никогда можно при наконец два об другой хоть после над больше тот через эти нас про всего них какая много разве три эту моя впрочем хорошо свою этой перед иногда лучше чуть том нельзя такой им более всегда конечно всю между это сколько пожалуйста привет здравствуйте подскажите скажите мои мою ваш ваша ваше ваши вашей вашем вами вашего какие каким какая какое либо";
const ENGLISH =
  "a about above after again all am an and any are as at be because been before being below between both but by can could did do does doing down during each few for from further had has have having he her here hers him his how i if in into is it its just me more most my no nor not now of off on once only or other our ours out over own same she should so some such than that the their them then there these they this those through to too under until up very was we were what when where which while who whom why will with would you your yours please hi hello hey tell ok d s t m re ve ll don isn doesn didn won";

const STOP_WORDS = new Set(`${RUSSIAN} ${ENGLISH}`.split(" "));

/** Words of a question or a sentence that tell nothing about its subject. Lower case, е for ё. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
