//! The models of a database with the references between them, and which of them are drawn.

use std::collections::{BTreeSet, HashMap, VecDeque};

use svc_model::resources::{Direction, ModelDescription, ModelRelation};

use super::MOST;

/// A model, by its place among all of them.
pub(super) type Node = usize;

/// The models that somebody may see, in the order of their names.
pub(super) struct Graph<'m> {
    models: Vec<&'m ModelDescription>,
    places: HashMap<&'m str, Node>,
    /// The references of each model, and the models that they lead to.
    references: Vec<Vec<(&'m ModelRelation, Node)>>,
    /// The models that refer to each, or that it refers to; not itself.
    neighbours: Vec<BTreeSet<Node>>,
}

/// What is drawn, and what would be if there were fewer.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    /// The models that are drawn, in the order of their names.
    pub(super) nodes: Vec<Node>,
    /// Those that are as near, and were too many.
    pub(super) left_out: Vec<Node>,
    /// The one in the middle.
    pub(super) chosen: Option<Node>,
}

impl<'m> Graph<'m> {
    /// The graph of these models. Those that menus leave out are left out here too.
    pub(super) fn of(models: &'m [ModelDescription]) -> Self {
        let mut models: Vec<_> = models.iter().filter(|model| !model.hidden).collect();
        models.sort_by(|one, other| one.model.cmp(&other.model));
        let named = models.iter().enumerate();
        let places: HashMap<&str, Node> = named
            .map(|(node, model)| (model.model.as_str(), node))
            .collect();
        let references = models.iter().map(|model| {
            let mut found: Vec<_> = model
                .relations
                .iter()
                .filter(|relation| relation.direction == Direction::ManyToOne)
                .filter_map(|relation| {
                    let to = places.get(relation.related_model.as_str())?;
                    Some((relation, *to))
                })
                .collect();
            let fields = |relation: &ModelRelation| {
                let ModelRelation {
                    local_field,
                    related_model,
                    related_field,
                    ..
                } = relation.clone();
                (local_field, related_model, related_field)
            };
            found.sort_by_cached_key(|(relation, _)| fields(relation));
            // A database may declare one twice.
            found.dedup_by(|(one, _), (other, _)| fields(one) == fields(other));
            found
        });
        let references: Vec<Vec<_>> = references.collect();
        let mut neighbours = vec![BTreeSet::new(); models.len()];
        for (from, found) in references.iter().enumerate() {
            for (_, to) in found.iter().filter(|(_, to)| *to != from) {
                neighbours[from].insert(*to);
                neighbours[*to].insert(from);
            }
        }
        Self {
            models,
            places,
            references,
            neighbours,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.models.is_empty()
    }

    pub(super) fn model(&self, node: Node) -> Option<&'m ModelDescription> {
        self.models.get(node).copied()
    }

    pub(super) fn name(&self, node: Node) -> &'m str {
        self.model(node).map_or("", |model| &model.model)
    }

    /// The model of exactly this name.
    pub(super) fn find(&self, name: &str) -> Option<Node> {
        self.places.get(name).copied()
    }

    /// The models in whose name a text is.
    pub(super) fn matching(&self, text: &str) -> Vec<Node> {
        let wanted = text.trim().to_lowercase();
        let has = |node: &Node| self.name(*node).to_lowercase().contains(&wanted);
        (0..self.models.len()).filter(has).collect()
    }

    /// The references of a model, with where they lead.
    pub(super) fn references(&self, node: Node) -> &[(&'m ModelRelation, Node)] {
        self.references.get(node).map_or(&[], Vec::as_slice)
    }

    fn is_related(&self, node: Node) -> bool {
        !self.references(node).is_empty() || self.count_neighbours(node) > 0
    }

    /// With how many other models a model is related.
    pub(super) fn count_neighbours(&self, node: Node) -> usize {
        self.neighbours.get(node).map_or(0, BTreeSet::len)
    }

    fn related(&self) -> impl Iterator<Item = Node> {
        (0..self.models.len()).filter(|node| self.is_related(*node))
    }

    /// Whether all models that have relations can be drawn at once.
    pub(super) fn is_small(&self) -> bool {
        self.related().nth(MOST).is_none()
    }

    /// Whether no model refers to any.
    pub(super) fn is_unrelated(&self) -> bool {
        self.related().next().is_none()
    }

    /// The models that have no relations.
    pub(super) fn unrelated(&self) -> Vec<Node> {
        let all = 0..self.models.len();
        all.filter(|node| !self.is_related(*node)).collect()
    }

    /// The models with the most relations, the first first.
    pub(super) fn most_related(&self, most: usize) -> Vec<Node> {
        let mut all: Vec<Node> = self.related().collect();
        all.sort_by_key(|node| usize::MAX - self.count_neighbours(*node));
        all.truncate(most);
        all
    }

    /// All models that have relations.
    pub(super) fn all(&self) -> Drawn {
        Drawn {
            nodes: self.related().collect(),
            ..Drawn::default()
        }
    }

    /// A model with those that are so many steps away, the nearest `most` of them.
    pub(super) fn around(&self, chosen: Node, steps: usize, most: usize) -> Drawn {
        let mut seen = BTreeSet::from([chosen]);
        let mut nodes = Vec::new();
        let mut next = VecDeque::from([(chosen, 0)]);
        while let Some((node, step)) = next.pop_front() {
            nodes.push(node);
            if step == steps {
                continue;
            }
            for neighbour in self.neighbours.get(node).into_iter().flatten() {
                if seen.insert(*neighbour) {
                    next.push_back((*neighbour, step + 1));
                }
            }
        }
        let left_out = nodes.split_off(most.min(nodes.len()));
        nodes.sort_unstable();
        Drawn {
            nodes,
            left_out,
            chosen: Some(chosen),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Models with the models that they refer to.
    fn models(all: &[(&str, &[&str])]) -> Vec<ModelDescription> {
        let model = |(name, refers): &(&str, &[&str])| {
            let mut model = ModelDescription::new(*name, *name);
            let relations = refers.iter().map(|to| {
                let name = format!("by_{to}");
                let field = format!("{to}_id");
                ModelRelation::new(name, Direction::ManyToOne, field, *to, "id")
            });
            model.relations = relations.collect();
            model
        };
        all.iter().map(model).collect()
    }

    fn names<'m>(graph: &Graph<'m>, nodes: &[Node]) -> Vec<&'m str> {
        nodes.iter().map(|node| graph.name(*node)).collect()
    }

    #[test]
    fn models_around_one_are_so_many_steps_away_in_either_direction() {
        let models = models(&[
            ("d", &["c"]),
            ("a", &[]),
            ("b", &["a", "b"]),
            ("c", &["b", "gone"]),
            ("alone", &[]),
            ("self", &["self"]),
        ]);
        let graph = Graph::of(&models);
        let around = |name: &str, steps, most| {
            let drawn = graph.around(graph.find(name).unwrap(), steps, most);
            let left_out = names(&graph, &drawn.left_out);
            (names(&graph, &drawn.nodes), left_out)
        };
        assert_eq!(around("a", 1, 9), (vec!["a", "b"], vec![]));
        assert_eq!(around("a", 2, 9), (vec!["a", "b", "c"], vec![]));
        assert_eq!(around("b", 1, 2), (vec!["a", "b"], vec!["c"]));
        assert_eq!(around("self", 2, 9), (vec!["self"], vec![]));
        assert_eq!(
            names(&graph, &graph.all().nodes),
            ["a", "b", "c", "d", "self"]
        );
        assert_eq!(names(&graph, &graph.unrelated()), ["alone"]);
        assert_eq!(names(&graph, &graph.most_related(2)), ["b", "c"]);
        assert_eq!(names(&graph, &graph.matching(" AL")), ["alone"]);
        assert!(graph.find("al").is_none() && graph.is_small());
    }

    #[test]
    fn hidden_models_and_references_to_them_are_left_out() {
        let mut models = models(&[("a", &["b"]), ("b", &[])]);
        models[1].hidden = true;
        let graph = Graph::of(&models);
        assert!(graph.is_unrelated() && graph.find("b").is_none());
    }

    #[test]
    fn more_than_can_be_drawn_are_not_drawn_at_once() {
        let names: Vec<String> = (0..=MOST).map(|number| format!("m{number:04}")).collect();
        let all: Vec<(&str, &[&str])> = names
            .iter()
            .map(|name| (name.as_str(), &["m0000"][..]))
            .collect();
        let models = models(&all);
        assert!(!Graph::of(&models).is_small());
        assert!(Graph::of(&models[1..]).is_unrelated());
        assert!(Graph::of(&models[..MOST]).is_small());
    }
}
