/** Words of the stories: what people say in them, what happens, and what to look at. */
export const EN_STORIES = {
  play: "Play",
  step_by_step: "Step by step",
  pause: "Pause",
  go_on: "Go on",
  next_step: "Next step",
  other_stories: "Other stories",
  step_count: "step {now} of {count}",
  story_done: "That was the story. Everything you saw can be done by hand, too.",
  still_busy: "Still under way: {what}",
  step_failed: "This step did not work ({why}). Perhaps you did it yourself; the story goes on.",
  no_card: "there is no open card for {name}",
  no_form: "no form is open",

  story_deal: "A deal, from question to payout",
  story_deal_about:
    "Quote, identity check, payment on the chain, and a payout that waits for Approve.",
  story_stranger: "A stranger presses Approve",
  story_stranger_about:
    "Being in the channel gives no right: the press changes nothing and is written down.",
  story_reject: "Refused, with a reason",
  story_reject_about:
    "Alice rejects blurred documents in a form; the client hears why and tries again.",
  story_lost: "The gateway's answer gets lost",
  story_lost_about: "The money went out, the answer did not come back. Nobody is paid twice.",
  story_courier: "Roubles, a courier, and documents",
  story_courier_about:
    "A new client pays in roubles: identity first, then the link, then a receipt for a person.",

  say_hours: "Hi! What are your working hours, and where is your office?",
  say_exchange: "I want to change {amount} USDT on TRC20 to baht, cash at your office",
  say_yes: "Yes, create the order",
  say_where: "Great. Where do I pay?",
  say_when: "When can I come?",
  say_check_me: "Hello, I would like to pass the identity check",
  say_reason: "The photo is blurred, please take it again in daylight",
  say_roubles: "I need ten thousand baht, I pay in roubles by SBP, deliver by courier to my hotel",
  say_suits: "Yes, that suits me, where do I pay?",
  say_checked: "Checked? Then where do I pay?",

  deal_1: "{name}, a new client, asks about hours and address.",
  deal_1_look: "The answer comes from the desk's published facts. Nothing here needs a person.",
  deal_2: "{name} wants to change {amount} USDT to baht.",
  deal_2_look:
    "The model proposed compute_exchange_quote. It is read-only, so policy allows it at once, and the sum is computed by code, not by the model.",
  deal_3: "{name} agrees.",
  deal_3_look: "No order yet: the first deal needs an identity check, and the bot says so.",
  deal_4: "{name} sends a photo of a document and a round video.",
  deal_4_look:
    "A card has come to Slack and to the Telegram group. Whether documents are good is never decided by a model.",
  deal_5: "Alice looks at the documents and presses Approve in Slack.",
  deal_5_look: "The card is closed with her name, in Telegram too, and the client has been told.",
  deal_6: "{name} asks where to pay.",
  deal_6_look:
    "Order and wallet come from tools. The guard would have stopped a wallet that no tool had named.",
  deal_7: "{name} pays on the played chain and sends the transaction hash.",
  deal_7_look:
    "verify_exchange_payment looked at the chain itself: token, wallet, sum, time. The hash alone proves nothing.",
  deal_8: "{name} asks when to come for the cash.",
  deal_8_look:
    "The payout is only proposed: it waits as a card that shows exactly what will run. The client hears that an operator is checking.",
  deal_9: "Bob presses Approve, this time in the Telegram group.",
  deal_9_look:
    "Approval, a second check at dispatch, one execution. The gateway paid once, and the client has been told.",
  deal_10: "Back in Slack.",
  deal_10_look: "The Slack card says who decided and when, although the press was in Telegram.",

  stranger_1: "{name} asks for the identity check and sends documents.",
  stranger_1_look:
    "A card waits for a decision. Eve is in the channel as well, but she is not staff.",
  stranger_2: "Eve, a stranger in the channel, presses Approve.",
  stranger_2_look: "Only Eve reads the refusal. The card is open as before.",
  stranger_3: "What the backend made of it.",
  stranger_3_look:
    "The press stands in the record as a refusal. Rights come from the staff list, never from membership in a channel.",
  stranger_4: "Alice, an operator, presses the same button.",
  stranger_4_look: "Now it counts: the card is closed, the client is told.",

  reject_1: "{name} asks for the identity check and sends a photo.",
  reject_1_look: "The card asks people; the client knows that somebody is looking.",
  reject_2: "Alice presses Reject.",
  reject_2_look: "Slack opens a form for the reason. The rejection itself stands already.",
  reject_3: "Alice writes the reason and sends the form.",
  reject_3_look:
    "The client hears the reason and what to do now. The same documents are not asked about again.",
  reject_4: "{name} sends better documents.",
  reject_4_look: "A new card for the new documents.",
  reject_5: "Bob approves them.",
  reject_5_look: "Verification is passed. Both decisions stand in the record, with names.",

  lost_1: "The whole deal of {name} up to the payout, at one go.",
  lost_1_look: "The card of the payout waits in Slack.",
  lost_2: "We break the gateway: it will pay, but its answer will get lost.",
  lost_2_look: "One fault is set; the button “World” counts it.",
  lost_3: "Bob presses Approve.",
  lost_3_look:
    "The money went out, no answer came back. The backend did not try again blindly: it asked the gateway by key and found the payout. Below stands what the gateway itself says: paid once.",
  lost_4: "And {name}?",
  lost_4_look: "The client heard one clear sentence, and nothing of the trouble.",

  courier_1: "{name} needs 10000 baht, pays in roubles and wants a courier.",
  courier_1_look:
    "The quote goes from the wanted baht to roubles, with the tier's rate, rounded by code.",
  courier_2: "{name} agrees and asks where to pay.",
  courier_2_look:
    "No payment link before the identity is known: the bot asks for documents instead.",
  courier_3: "{name} sends a photo and a round video.",
  courier_3_look: "A card asks the operators.",
  courier_4: "Alice approves.",
  courier_4_look: "The client is told, and the deal goes on.",
  courier_5: "{name} goes on.",
  courier_5_look:
    "Now there is an order and a way to pay. The link comes from the desk's requisites only.",
  courier_6: "{name} pays and sends the receipt.",
  courier_6_look:
    "A receipt is no proof: a card asks a person to look at the account. The order stays unpaid until then.",
  courier_7: "Bob has looked at the account and presses Approve.",
  courier_7_look:
    "Now the payment counts, because a person has confirmed it, and the client is told.",
};
