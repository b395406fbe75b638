//! Declarations: what a `.story` file is made of.

use super::clause::Seen;
use super::mark::Mark;
use super::parser::Parser;
use super::place::Place;
use super::token::TokenKind;
use super::tree::{
    ActionDecl, CharacterDecl, CrowdDecl, FluentDecl, FluentValue, Head, Init, Item, ItemKind, Knob, KnobKind,
    LayerDecl, Level, Named, NamedBody, ObjectDecl, Param, RuleDecl, Setting, Story, StoryFile, Tag, TaskDecl, Text,
};
use super::word::{DECLARATIONS, Word};

impl Parser<'_> {
    /// `file = { item [ ";" ] }`
    pub(super) fn story_file(&mut self) -> StoryFile {
        let mut items = Vec::new();
        self.file_of(Place::StoryFile, |parser| items.extend(parser.item(Place::StoryFile)));
        StoryFile { items }
    }

    fn item(&mut self, place: Place) -> Option<Item> {
        let start = self.at;
        let doc = self.doc_before(start);
        let word = self.thing_word(place)?;
        if !DECLARATIONS.has(word) {
            // A clause outside its body; whatever follows it probably has lost its declaration too.
            self.failed = true;
            return None;
        }
        let kind = self.declaration(word)?;
        Some(Item { kind, doc, span: self.span_from(start) })
    }

    /// A declaration, whose word has been seen; `None` if too little of it is there to stand for anything.
    pub(super) fn declaration(&mut self, word: Word) -> Option<ItemKind> {
        if matches!(word, Word::Goal | Word::Keep | Word::Prefer) {
            return Some(ItemKind::Wish(Box::new(self.wish(word))));
        }
        self.bump();
        Some(match word {
            Word::Story => return self.story(),
            Word::Use => ItemKind::Use(self.string("the path of a file in quotes")?),
            Word::Level => return self.level(),
            Word::Type => ItemKind::Type(self.type_decl()?),
            Word::Fluent => return self.fluent(),
            Word::Object => return self.object(),
            Word::Character => return self.character(),
            Word::Given => ItemKind::Given(self.effects()),
            Word::Action => return self.action(),
            Word::Rule => {
                let head = self.head("the name of the rule");
                let tags = self.tags();
                let body = self.body(Place::Rule);
                ItemKind::Rule(RuleDecl { head: head?, tags, body })
            }
            Word::Key => {
                self.expect_word(Word::Task);
                return self.task(true);
            }
            Word::Task => return self.task(false),
            Word::Pool => ItemKind::Pool(self.crowd(Place::Pool)?),
            Word::Population => ItemKind::Population(self.crowd(Place::Population)?),
            Word::Personality => ItemKind::Personality(self.named_body(Place::Personality)?),
            Word::Futile => ItemKind::Futile(self.named_body(Place::Futile)?),
            Word::Milestone => ItemKind::Milestone(self.named_body(Place::Milestone)?),
            Word::Ending => ItemKind::Ending(self.named_body(Place::Ending)?),
            Word::Layer => return self.layer(),
            _ => return None,
        })
    }

    /// `story = "story" STRING [ "{" { setting [ ";" ] } "}" ]`
    fn story(&mut self) -> Option<ItemKind> {
        let title = self.string("the title of the story in quotes");
        let mut settings = Vec::new();
        if self.at(TokenKind::OpenBrace) || self.failed {
            let mut seen = Seen::default();
            self.braces(Place::Header, |parser| {
                let Some(word) = parser.thing_word(Place::Header) else { return };
                let repeated = parser.repeats(&mut seen, Place::Header, word);
                settings.extend(parser.setting(word).filter(|_| !repeated));
            });
        }
        // Without its title the header is still the header.
        let title = title.unwrap_or_else(|| Text { pieces: Vec::new(), span: self.span(self.raw()).before() });
        Some(ItemKind::Story(Story { title, settings }))
    }

    fn setting(&mut self, word: Word) -> Option<Setting> {
        self.bump();
        Some(match word {
            Word::Ticks => {
                let count = self.number()?;
                self.expect_word(Word::Per);
                Setting::Ticks(count, self.name("`s`, `min` or another unit of time")?)
            }
            Word::Day => Setting::Day(self.number()?),
            Word::Begins => Setting::Begins(self.number()?),
            Word::Options => Setting::Options(self.number()?),
            _ => Setting::Language(self.string("a language in quotes")?),
        })
    }

    /// `level = "level" NAME [ STRING ] "{" { item [ ";" ] } "}"`
    fn level(&mut self) -> Option<ItemKind> {
        let name = self.name("the name of the level");
        let title = self.string_if_any();
        let mut items = Vec::new();
        self.braces(Place::Level, |parser| items.extend(parser.item(Place::Level)));
        Some(ItemKind::Level(Level { name: name?, title, items }))
    }

    /// `fluent = "fluent" head { "," head } [ ":" domain ] [ "=" expr | "means" expr ]`
    fn fluent(&mut self) -> Option<ItemKind> {
        let mut heads = Vec::new();
        loop {
            heads.push(self.head("the name of the fluent")?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        let domain = if self.eat(TokenKind::Colon) { self.domain() } else { None };
        let value = if self.eat(TokenKind::Assign) {
            FluentValue::Default(self.expr())
        } else if self.eat_part(Word::Means) {
            FluentValue::Means(self.expr())
        } else {
            FluentValue::None
        };
        Some(ItemKind::Fluent(FluentDecl { heads, domain, value }))
    }

    /// `head = NAME [ params ]`
    fn head(&mut self, wanted: &str) -> Option<Head> {
        let name = self.name(wanted)?;
        let params = if self.at(TokenKind::OpenParen) { self.params() } else { Vec::new() };
        Some(Head { name, params })
    }

    /// `params = "(" [ param { "," param } ] ")"`, `param = NAME ":" types`
    fn params(&mut self) -> Vec<Param> {
        let mut params = Vec::new();
        let open = self.span(self.raw());
        self.mark(Mark::Call);
        if !self.expect(TokenKind::OpenParen, "`(` and parameters") || self.eat(TokenKind::CloseParen) {
            return params;
        }
        while let Some(name) = self.name("the name of a parameter") {
            let typed = self.expect(TokenKind::Colon, "`:` and the type of the parameter");
            params.push(Param { name, types: if typed { self.types() } else { Vec::new() } });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close_paren(open, "`,` or `)`");
        params
    }

    /// `named = NAME [ STRING ]`
    fn named(&mut self, wanted: &str) -> Option<Named> {
        let name = self.name(wanted)?;
        Some(Named { name, title: self.string_if_any() })
    }

    /// `object = "object" named { "," named } ":" TYPE [ inits ]`
    fn object(&mut self) -> Option<ItemKind> {
        let mut names = Vec::new();
        loop {
            names.extend(self.named("the name of the object"));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        let typed = self.expect(TokenKind::Colon, "`:` and the type of the object");
        let ty = if typed { self.type_name() } else { None };
        let inits = self.inits();
        (!names.is_empty()).then_some(ItemKind::Object(ObjectDecl { names, ty, inits }))
    }

    /// `inits = "(" init { "," init } ")"`, `init = "not" NAME | NAME [ "=" expr ]`
    fn inits(&mut self) -> Vec<Init> {
        let mut inits = Vec::new();
        let open = self.span(self.raw());
        if !self.eat(TokenKind::OpenParen) {
            return inits;
        }
        loop {
            let start = self.at;
            let negated = self.eat_word(Word::Not);
            let Some(name) = self.name("the name of an attribute") else { break };
            let value = (!negated && self.eat(TokenKind::Assign)).then(|| self.expr());
            inits.push(Init { negated, name, value, span: self.span_from(start) });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close_paren(open, "`,` or `)`");
        inits
    }

    /// `character = "character" named [ ":" TYPE ] [ inits ] [ body ]`
    fn character(&mut self) -> Option<ItemKind> {
        let named = self.named("the name of the character");
        let ty = if self.eat(TokenKind::Colon) { self.type_name() } else { None };
        let inits = self.inits();
        let has_body = self.at(TokenKind::OpenBrace) || self.failed;
        let body = has_body.then(|| self.body(Place::Character));
        Some(ItemKind::Character(CharacterDecl { named: named?, ty, inits, body }))
    }

    /// `action = "action" head [ "by" NAME ] [ "with" NAME { "," NAME } ] [ "in" NAME ] { TAG } body`
    fn action(&mut self) -> Option<ItemKind> {
        let head = self.head("the name of the action");
        let by = if self.eat_part(Word::By) { self.name("the parameter who performs it") } else { None };
        let mut with = Vec::new();
        if self.eat_part(Word::With) {
            loop {
                with.extend(self.name("a parameter who takes part"));
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        let layer = if self.eat_part(Word::In) { self.name("the name of a layer") } else { None };
        let tags = self.tags();
        let body = self.body(Place::Action);
        Some(ItemKind::Action(ActionDecl { head: head?, by, with, layer, tags, body }))
    }

    fn tags(&mut self) -> Vec<Tag> {
        let mut tags = Vec::new();
        while self.at(TokenKind::Tag) {
            tags.extend(self.tag());
        }
        tags
    }

    /// `task = [ "key" ] "task" head { TAG } body`
    fn task(&mut self, key: bool) -> Option<ItemKind> {
        let head = self.head("the name of the task");
        let tags = self.tags();
        let body = self.body(Place::Task);
        Some(ItemKind::Task(TaskDecl { key, head: head?, tags, body }))
    }

    /// `named params "of" NUMBER body`
    fn crowd(&mut self, place: Place) -> Option<CrowdDecl> {
        let named = self.named("the name of its members");
        let params = self.params();
        self.expect_word(Word::Of);
        let count = self.number();
        let body = self.body(place);
        Some(CrowdDecl { named: named?, params, count, body })
    }

    /// `NAME params body`, and for milestones and endings `NAME body`
    fn named_body(&mut self, place: Place) -> Option<NamedBody> {
        let name = self.name("a name");
        let with_params = matches!(place, Place::Personality | Place::Futile);
        let params = if with_params { self.params() } else { Vec::new() };
        let body = self.body(place);
        Some(NamedBody { head: Head { name: name?, params }, body })
    }

    /// `layer = "layer" NAME [ "above" NAME ] [ "{" { knob [ ";" ] } "}" ]`
    fn layer(&mut self) -> Option<ItemKind> {
        let name = self.name("the name of the layer");
        let above = if self.eat_part(Word::Above) { self.name("the name of the layer below") } else { None };
        let mut knobs = Vec::new();
        if self.at(TokenKind::OpenBrace) || self.failed {
            let mut seen = Seen::default();
            self.braces(Place::Layer, |parser| {
                let start = parser.at;
                let Some(word) = parser.thing_word(Place::Layer) else { return };
                let repeated = parser.repeats(&mut seen, Place::Layer, word);
                parser.bump();
                let kind = match word {
                    Word::Horizon => KnobKind::Horizon,
                    Word::Steps => KnobKind::Steps,
                    Word::Beam => KnobKind::Beam,
                    Word::Elites => KnobKind::Elites,
                    _ => KnobKind::Tolerance,
                };
                let knob = parser.number().map(|value| Knob { kind, value, span: parser.span_from(start) });
                knobs.extend(knob.filter(|_| !repeated));
            });
        }
        Some(ItemKind::Layer(LayerDecl { name: name?, above, knobs }))
    }
}
